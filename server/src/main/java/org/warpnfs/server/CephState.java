package org.warpnfs.server;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.librados.RadosClient;
import org.warpnfs.fs.ceph.librados.RadosException;
import org.warpnfs.fs.ceph.librados.RadosLibrary;
import org.warpnfs.nfs.cluster.ClusterStore;
import org.warpnfs.nfs.cluster.ClusterTiming;
import org.warpnfs.nfs.cluster.NodeObject;
import org.warpnfs.nfs.cluster.ObjectStore;
import org.warpnfs.nfs.cluster.SharedObjects;
import org.warpnfs.nfs.fence.FenceStore;
import org.warpnfs.nfs.fence.ObjectFences;
import org.warpnfs.nfs.nlm.NsmStore;
import org.warpnfs.nfs.v4.state.recovery.ClientLists;
import org.warpnfs.nfs.v4.state.recovery.ObjectClientLists;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.SharedPlace;

/**
 * Objects of Ceph, in a namespace {@code warpnfs.CLUSTER} of a pool, by a client of their own: load on the mounts of
 * the exports, or their loss, does not delay signs of life. Each call ends in a quarter of the time in which a silent
 * node is declared dead.
 */
final class CephState implements SharedState {
    private static final Logger LOG = LoggerFactory.getLogger(CephState.class);
    private static final String KEY = "handle-key";
    private static final int KEY_BYTES = 16;
    private static final int CONNECT_SECONDS = 60;

    private final ClusterChoice choice;
    private final RadosSharedObjects objects;
    private final ObjectStore store;
    private final CephRemains remains;
    private volatile @Nullable NodeObject node;

    private CephState(ClusterChoice choice, SharedPlace.InCeph in, RadosSharedObjects objects) {
        this.choice = choice;
        this.objects = objects;
        this.remains = new CephRemains(choice, in, objects);
        this.store = new ObjectStore(objects);
    }

    static CephState open(ClusterChoice choice, SharedPlace.InCeph in, Duration lease) throws ConfigException {
        if (RadosLibrary.missing().isPresent()) {
            throw new ConfigException("--cluster: " + RadosLibrary.missing().get());
        }
        long dead = ClusterTiming.of(lease).deadNanos();
        int seconds = Math.max(1, (int) (Duration.ofNanos(dead).toMillis() / 4000));
        try {
            RadosClient client = RadosClient.connect(in.id(), in.configuration().toString(), CONNECT_SECONDS, seconds);
            boolean done = false;
            try {
                String pool = in.pool().isEmpty() ? DataPools.of(client, in.fileSystem()) : in.pool();
                CephState state = new CephState(
                        choice,
                        in,
                        new RadosSharedObjects(client, client.objects(pool, "warpnfs." + choice.name()), pool));
                done = true;
                return state;
            } finally {
                if (!done) {
                    client.close();
                }
            }
        } catch (RadosException e) {
            throw new ConfigException("--cluster " + choice.name() + ": Ceph: " + e.getMessage(), e);
        }
    }

    @Override
    public ClusterStore store() {
        return store;
    }

    @Override
    public byte[] handleKey() throws ConfigException {
        try {
            byte[] key = objects.read(KEY, KEY).get(KEY);
            if (key == null) {
                boolean made = objects.change(
                        KEY,
                        new SharedObjects.Change("", null, Map.of(KEY, StateDirectory.freshHandleKey()), Set.of()));
                if (!made) {
                    LOG.debug("another node has made the key of file handles");
                }
                key = objects.read(KEY, KEY).get(KEY);
            }
            if (key == null || key.length != KEY_BYTES) {
                throw new ConfigException("--cluster " + choice.name() + ": " + objects.place() + ": object " + KEY
                        + " holds no key of " + KEY_BYTES
                        + " bytes; restore it, or remove it, which makes every client's file handles stale");
            }
            return key;
        } catch (IOException e) {
            throw new ConfigException("--cluster " + choice.name() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public ClientLists takeOver(int instance) throws IOException {
        NodeObject claimed = NodeObject.claim(objects, choice.node(), instance);
        node = claimed;
        return new ObjectClientLists(claimed);
    }

    @Override
    public NsmStore nsm() {
        return new ObjectNsmStore(Objects.requireNonNull(node, "not taken over"));
    }

    @Override
    public FenceStore fences() {
        return new ObjectFences(objects);
    }

    @Override
    public Remains remains() {
        return remains;
    }

    @Override
    public String flag() {
        return "--cluster";
    }

    @Override
    public void close() {
        objects.close();
    }
}
