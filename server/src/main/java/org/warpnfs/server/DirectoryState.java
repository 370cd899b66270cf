package org.warpnfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.warpnfs.nfs.cluster.ClusterStore;
import org.warpnfs.nfs.cluster.DirectoryStore;
import org.warpnfs.nfs.fence.DirectoryFences;
import org.warpnfs.nfs.fence.FenceStore;
import org.warpnfs.nfs.nlm.DirectoryNsmStore;
import org.warpnfs.nfs.nlm.NsmStore;
import org.warpnfs.nfs.v4.state.recovery.ClientLists;
import org.warpnfs.nfs.v4.state.recovery.DirectoryClientLists;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.SharedPlace;

/** A directory that all gateways see. What a node keeps is in its state directory in there, which it has locked. */
final class DirectoryState implements SharedState {
    private final Path cluster;
    private final StateDirectory state;
    private final DirectoryStore store;

    private DirectoryState(Path cluster, StateDirectory state, DirectoryStore store) {
        this.cluster = cluster;
        this.state = state;
        this.store = store;
    }

    static DirectoryState open(ClusterChoice choice, SharedPlace.InDirectory in, StateDirectory state)
            throws ConfigException {
        try {
            Path _ = state.part("nfs4");
            return new DirectoryState(cluster(choice, in), state, DirectoryStore.open(cluster(choice, in)));
        } catch (IOException e) {
            throw new ConfigException("--cluster-directory: " + e.getMessage(), e);
        }
    }

    private static Path cluster(ClusterChoice choice, SharedPlace.InDirectory in) {
        return in.directory().resolve(choice.name());
    }

    /**
     * The state directory of a node, which it finds wherever it runs.
     *
     * @throws ConfigException if the cluster's directory is missing, or anybody may write to it. It is not made: if the
     *     shared file system is not mounted, each node would make one of its own
     */
    static Path ofNode(ClusterChoice choice, SharedPlace.InDirectory in) throws ConfigException {
        Path cluster = cluster(choice, in);
        if (!Files.isDirectory(cluster)) {
            throw new ConfigException("--cluster-directory: " + cluster
                    + ": no such directory; mount the shared file system, and make it once for the cluster");
        }
        try {
            if (Files.getPosixFilePermissions(cluster).contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new ConfigException("--cluster-directory: " + cluster
                        + ": anybody may write to it, and so take the place of a node; chmod o-w");
            }
        } catch (IOException e) {
            throw new ConfigException("--cluster-directory: " + cluster + ": " + e, e);
        }
        return cluster.resolve("nodes").resolve(choice.node());
    }

    @Override
    public ClusterStore store() {
        return store;
    }

    @Override
    public byte[] handleKey() throws ConfigException {
        return ClusterHandleKey.of(cluster);
    }

    @Override
    public ClientLists takeOver(int instance) throws IOException {
        return new DirectoryClientLists(state.path().resolve("nfs4"));
    }

    @Override
    public NsmStore nsm() throws IOException {
        return DirectoryNsmStore.open(made("nlm"));
    }

    @Override
    public FenceStore fences() throws IOException {
        return DirectoryFences.open(cluster.resolve("fences"));
    }

    private Path made(String part) throws IOException {
        try {
            return state.part(part);
        } catch (ConfigException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public String flag() {
        return "--cluster-directory";
    }

    @Override
    public void close() {
        store.close();
    }
}
