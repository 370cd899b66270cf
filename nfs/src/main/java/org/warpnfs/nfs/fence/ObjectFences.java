package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.cluster.SharedObjects;

/** Fences in an object {@code fences}, with a value for each metadata server. */
public final class ObjectFences implements FenceStore {
    private static final String OBJECT = "fences";

    private final SharedObjects objects;

    public ObjectFences(SharedObjects objects) {
        this.objects = objects;
    }

    @Override
    public Map<String, byte[]> read() throws IOException {
        return objects.read(OBJECT, "");
    }

    @Override
    public byte @Nullable [] read(String node) throws IOException {
        return objects.read(OBJECT, node).get(node);
    }

    @Override
    public void write(String node, byte[] text) throws IOException {
        boolean _ = objects.change(OBJECT, new SharedObjects.Change(null, null, Map.of(node, text), Set.of()));
    }
}
