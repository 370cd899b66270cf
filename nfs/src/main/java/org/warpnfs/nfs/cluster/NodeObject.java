package org.warpnfs.nfs.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/**
 * What a node keeps for its next process, in an object {@code node.NODE}. Its mark is the instance that owns it, and
 * each change depends on it. So a process that was taken over, however long it was held up, changes nothing.
 *
 * <p>Safe for any thread.
 */
public final class NodeObject {
    private static final String OWNER = "owner";
    private static final int TRIES = 10;

    private final SharedObjects objects;
    private final String object;
    private final String instance;

    private NodeObject(SharedObjects objects, String object, int instance) {
        this.objects = objects;
        this.object = object;
        this.instance = Integer.toString(instance);
    }

    /**
     * Takes the object over from earlier instances of the node.
     *
     * @param instance of the node in the record of the cluster, which grows
     * @throws IOException if a later instance has it, or the engine fails
     */
    public static NodeObject claim(SharedObjects objects, String node, int instance) throws IOException {
        NodeObject claimed = new NodeObject(objects, "node." + node, instance);
        for (int tries = 0; tries < TRIES; tries++) {
            byte[] owner = objects.read(claimed.object, OWNER).get(OWNER);
            String before = owner == null ? "" : new String(owner, StandardCharsets.US_ASCII);
            if (!before.isEmpty() && Integer.parseInt(before) > instance) {
                break;
            }
            byte[] own = claimed.instance.getBytes(StandardCharsets.US_ASCII);
            if (objects.change(
                    claimed.object, new SharedObjects.Change(before, claimed.instance, Map.of(OWNER, own), Set.of()))) {
                return claimed;
            }
        }
        throw claimed.taken();
    }

    private IOException taken() {
        return new IOException("object " + object + ": a later process of this node has taken it over");
    }

    /** The values whose names begin with {@code prefix}. */
    public NavigableMap<String, byte[]> read(String prefix) throws IOException {
        return objects.read(object, prefix);
    }

    /**
     * Sets and removes values, all or none. They are on stable storage when it returns.
     *
     * @throws IOException also if a later process has taken the object over, or somebody has removed it
     */
    public void change(Map<String, byte[]> values, Set<String> removed) throws IOException {
        if (!objects.change(object, new SharedObjects.Change(instance, null, values, removed))) {
            if (objects.read(object, OWNER).isEmpty()) {
                throw new IOException("object " + object + ": was removed, and with it the lists of clients");
            }
            throw taken();
        }
    }
}
