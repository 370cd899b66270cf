package org.warpnfs.server;

import java.io.IOException;
import java.time.Duration;
import org.warpnfs.nfs.cluster.ClusterStore;
import org.warpnfs.nfs.fence.FenceStore;
import org.warpnfs.nfs.nlm.NsmStore;
import org.warpnfs.nfs.v4.state.recovery.ClientLists;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.SharedPlace;

/**
 * What the gateways of a cluster share, and what this one keeps in it for its next process. Methods wait for the
 * medium.
 */
interface SharedState extends AutoCloseable {
    /**
     * Opens what the cluster shares.
     *
     * @param state the state directory of this process, which it has locked. In a cluster with a directory it is the
     *     node's in that
     * @throws ConfigException if it cannot be used; one line gives the reason
     */
    static SharedState open(ClusterChoice choice, Duration lease, StateDirectory state) throws ConfigException {
        return switch (choice.place()) {
            case SharedPlace.InDirectory in -> DirectoryState.open(choice, in, state);
            case SharedPlace.InCeph in -> CephState.open(choice, in, lease);
        };
    }

    ClusterStore store();

    /** The key that signs the file handles of all gateways. The first one makes it. */
    byte[] handleKey() throws ConfigException;

    /**
     * Takes over what an earlier process of the node has left. Before {@link #nsm}.
     *
     * @param instance of the node, which has joined
     */
    ClientLists takeOver(int instance) throws IOException;

    NsmStore nsm() throws IOException;

    /** Where metadata servers of pNFS tell data servers which layouts have ended. */
    FenceStore fences() throws IOException;

    /** What nodes leave at the engine of their exports when they die. */
    default Remains remains() {
        return Remains.NONE;
    }

    /** The setting that led here, for messages. */
    String flag();

    @Override
    void close();
}
