package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A store of fences in memory, which can be made to fail. */
public final class MemoryFences implements FenceStore {
    private final Map<String, byte[]> texts = new HashMap<>();
    public boolean isBroken;
    public boolean isDefective;
    public int reads;

    @Override
    public Map<String, byte[]> read() throws IOException {
        requireWhole();
        reads++;
        return new HashMap<>(texts);
    }

    @Override
    public byte @Nullable [] read(String node) throws IOException {
        return read().get(node);
    }

    @Override
    public void write(String node, byte[] text) throws IOException {
        requireWhole();
        texts.put(node, text.clone());
    }

    private void requireWhole() throws IOException {
        if (isDefective) {
            throw new IllegalStateException("defective on purpose");
        }
        if (isBroken) {
            throw new IOException("broken on purpose");
        }
    }
}
