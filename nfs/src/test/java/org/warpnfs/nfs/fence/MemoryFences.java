package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A store of fences in memory, which can be made to fail. */
public final class MemoryFences implements FenceStore {
    private final Map<String, byte[]> texts = new HashMap<>();
    public boolean isBroken;
    public boolean isDefective;
    public int reads;
    /** What happens between the beginning of a replacement and its end. */
    public Runnable beforeWrite = () -> {};

    @Override
    public Map<String, byte[]> read() throws IOException {
        requireWhole();
        reads++;
        return new HashMap<>(texts);
    }

    /** As somebody may do it by hand. */
    void put(String node, byte[] text) {
        texts.put(node, text.clone());
    }

    @Override
    public Claimed claim(String node, FenceEpochs first) throws IOException {
        requireWhole();
        if (FenceEpochs.processOf(texts.get(node)) > first.process()) {
            throw new IOException("a later process has it");
        }
        put(node, first.encode());
        return next -> replace(node, next);
    }

    private boolean replace(String node, FenceEpochs next) throws IOException {
        requireWhole();
        beforeWrite.run();
        if (FenceEpochs.processOf(texts.get(node)) != next.process()) {
            return false;
        }
        put(node, next.encode());
        return true;
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
