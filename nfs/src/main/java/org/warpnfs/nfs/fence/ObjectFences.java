package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.cluster.SharedObjects;

/**
 * Fences in an object {@code fences}, with a value for each metadata server. A value replaces the one that was read, or
 * nothing. So neither a process that was taken over changes it, nor a write that arrives late.
 */
public final class ObjectFences implements FenceStore {
    private static final String OBJECT = "fences";
    private static final int TRIES = 10;

    private final SharedObjects objects;

    public ObjectFences(SharedObjects objects) {
        this.objects = objects;
    }

    @Override
    public Map<String, byte[]> read() throws IOException {
        return objects.read(OBJECT, "");
    }

    private byte @Nullable [] read(String node) throws IOException {
        return objects.read(OBJECT, node).get(node);
    }

    private boolean replace(String node, byte @Nullable [] before, FenceEpochs next) throws IOException {
        Map<String, byte[]> expected = Map.of(node, before == null ? new byte[0] : before);
        return objects.change(
                OBJECT, new SharedObjects.Change(null, null, Map.of(node, next.encode()), Set.of(), expected));
    }

    @Override
    public Claimed claim(String node, FenceEpochs first) throws IOException {
        for (int tries = 0; tries < TRIES; tries++) {
            byte[] before = read(node);
            if (FenceEpochs.processOf(before) > first.process()) {
                throw new IOException(placeOf(node) + ": a later process of this node has taken it over");
            }
            if (replace(node, before, first)) {
                return next -> replaceOwn(node, next);
            }
        }
        throw new IOException(placeOf(node) + ": others change it all the time");
    }

    private boolean replaceOwn(String node, FenceEpochs next) throws IOException {
        for (int tries = 0; tries < TRIES; tries++) {
            byte[] before = read(node);
            long owner = FenceEpochs.processOf(before);
            if (owner > next.process()) {
                return false;
            }
            if (owner != next.process()) {
                throw new IOException(placeOf(node) + ": somebody has removed or changed it");
            }
            if (replace(node, before, next)) {
                return true;
            }
        }
        throw new IOException(placeOf(node) + ": others change it all the time");
    }

    private static String placeOf(String node) {
        return "object " + OBJECT + ", value " + node;
    }
}
