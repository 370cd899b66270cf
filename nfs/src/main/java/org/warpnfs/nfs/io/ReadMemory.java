package org.warpnfs.nfs.io;

import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.Payload;

/**
 * Memory for the data of one READ: it is looked for before the READ begins, and taken when it is needed.
 *
 * <h2>Buffers</h2>
 *
 * Owns the memory until it is taken or released.
 *
 * <p>For one thread at a time.
 */
public final class ReadMemory {
    private @Nullable Payload given;

    /**
     * The search has ended.
     *
     * @param payload null if none is to be had
     */
    public void give(@Nullable Payload payload) {
        given = payload;
    }

    public boolean isThere() {
        return given != null;
    }

    /**
     * Takes the memory. Whoever takes it owns it.
     *
     * @param lengthBytes as {@link FileData#memoryBytes} says; 0 needs none
     * @return null if none was to be had
     */
    public @Nullable Payload take(int lengthBytes) {
        return lengthBytes == 0 ? FileData.noMemory() : take();
    }

    /** Gives back what was not taken. */
    public void release() {
        Payload left = take();
        if (left != null) {
            left.release();
        }
    }

    private @Nullable Payload take() {
        Payload taken = given;
        given = null;
        return taken;
    }
}
