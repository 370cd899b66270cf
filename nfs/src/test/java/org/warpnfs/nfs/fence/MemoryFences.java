package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A store of fences in memory, which can be made to fail. */
public final class MemoryFences implements FenceStore {
    private final Map<String, byte[]> texts = new HashMap<>();
    public boolean isBroken;
    public int reads;

    @Override
    public Map<String, byte[]> read() throws IOException {
        requireWhole();
        reads++;
        return new HashMap<>(texts);
    }

    @Override
    public void write(String node, byte[] text) throws IOException {
        requireWhole();
        texts.put(node, text.clone());
    }

    private void requireWhole() throws IOException {
        if (isBroken) {
            throw new IOException("broken on purpose");
        }
    }
}
