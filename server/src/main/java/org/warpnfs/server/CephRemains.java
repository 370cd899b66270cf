package org.warpnfs.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.CephOptions;
import org.warpnfs.fs.ceph.CephProvider;
import org.warpnfs.fs.ceph.LeftMounts;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.nfs.cluster.SharedObjects;
import org.warpnfs.server.config.ClusterChoice;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.SharedPlace;

/**
 * Mounts of Ceph. Each has a name by which the cluster knows it, that no other instance of a node uses. So what ends
 * the mounts of an instance that died can never end those of the next one, however late it does so.
 *
 * <p>An object {@code mounts.NODE} has a value for each mount. Its name is that of the mount, and it says
 * {@code INSTANCE STATE FILESYSTEM}. The state is {@code used}, {@code leaving}, or {@code ended} by another node.
 */
final class CephRemains implements Remains {
    private static final Logger LOG = LoggerFactory.getLogger(CephRemains.class);

    private final ClusterChoice choice;
    private final SharedPlace.InCeph in;
    private final SharedObjects objects;

    private enum State {
        USED,
        LEAVING,
        ENDED
    }

    private record Mount(int instance, State state, String fileSystem) {
        byte[] text() {
            return (instance + " " + state + " " + fileSystem).getBytes(StandardCharsets.UTF_8);
        }

        Mount in(State next) {
            return new Mount(instance, next, fileSystem);
        }

        static Mount parse(String object, byte[] text) throws IOException {
            String[] words = new String(text, StandardCharsets.UTF_8).split(" ", 3);
            try {
                return new Mount(Integer.parseInt(words[0]), State.valueOf(words[1]), words[2]);
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                throw new IOException("object " + object + ": has a value that is no mount; remove the object", e);
            }
        }
    }

    CephRemains(ClusterChoice choice, SharedPlace.InCeph in, SharedObjects objects) {
        this.choice = choice;
        this.in = in;
        this.objects = objects;
    }

    private static String object(String node) {
        return "mounts." + node;
    }

    private String word(int instance) {
        return in.pool() + '/' + choice.name() + '/' + choice.node() + '/' + instance;
    }

    private CephOptions options(String fileSystem, String name) {
        return new CephOptions(in.configuration(), in.id(), fileSystem.isEmpty() ? null : fileSystem, "/", name);
    }

    @Override
    public boolean isNothing() {
        return false;
    }

    @Override
    public void awaitEngine() throws IOException {
        try {
            LeftMounts.awaitAnswer(options(in.fileSystem(), ""));
        } catch (CephException e) {
            throw new IOException("the metadata servers of Ceph: " + e.getMessage(), e);
        }
    }

    @Override
    public PluginChoice backendOf(int instance, PluginChoice backend) {
        return backend.with(CephProvider.MOUNTS, word(instance));
    }

    @Override
    public void opening(int instance, String source) throws IOException {
        String name = CephProvider.mountName(word(instance), in.fileSystem(), source);
        Mount mount = new Mount(instance, State.USED, in.fileSystem());
        set(choice.node(), Map.of(name, mount.text()), Set.of());
    }

    @Override
    public void leaving(int instance) throws IOException {
        Map<String, byte[]> changed = new HashMap<>();
        for (Map.Entry<String, Mount> each : mounts(choice.node()).entrySet()) {
            if (each.getValue().instance == instance) {
                changed.put(each.getKey(), each.getValue().in(State.LEAVING).text());
            }
        }
        set(choice.node(), changed, Set.of());
    }

    @Override
    public void endFormer(int instance) throws IOException {
        Set<String> ended = new HashSet<>();
        for (Map.Entry<String, Mount> each : mounts(choice.node()).entrySet()) {
            if (each.getValue().instance != instance) {
                // Whatever its state: a process that was held up may have mounted again.
                end(choice.node(), each.getKey(), each.getValue());
                ended.add(each.getKey());
            }
        }
        set(choice.node(), Map.of(), ended);
    }

    @Override
    public void end(String node, int instance) throws IOException {
        Map<String, byte[]> changed = new HashMap<>();
        for (Map.Entry<String, Mount> each : mounts(node).entrySet()) {
            Mount mount = each.getValue();
            if (mount.instance == instance && mount.state == State.USED) {
                end(node, each.getKey(), mount);
                changed.put(each.getKey(), mount.in(State.ENDED).text());
                LOG.info(
                        "cluster {}: the mount {} that node {} has left was ended", choice.name(), each.getKey(), node);
            }
        }
        set(node, changed, Set.of());
    }

    private void end(String node, String name, Mount mount) throws IOException {
        try {
            LeftMounts.end(options(mount.fileSystem, name));
        } catch (CephException e) {
            throw new IOException("a mount of node " + node + ": " + e.getMessage(), e);
        }
    }

    private Map<String, Mount> mounts(String node) throws IOException {
        Map<String, Mount> all = new HashMap<>();
        for (Map.Entry<String, byte[]> each : objects.read(object(node), "").entrySet()) {
            all.put(each.getKey(), Mount.parse(object(node), each.getValue()));
        }
        return all;
    }

    private void set(String node, Map<String, byte[]> values, Set<String> removed) throws IOException {
        if (!values.isEmpty() || !removed.isEmpty()) {
            boolean _ = objects.change(object(node), new SharedObjects.Change(null, null, values, removed));
        }
    }
}
