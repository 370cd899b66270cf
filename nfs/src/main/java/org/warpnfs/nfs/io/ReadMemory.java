package org.warpnfs.nfs.io;

import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.Payload;

/**
 * Memory for the data of one READ. It is acquired before the READ begins, and taken when it is needed.
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
     * Sets the memory that was acquired.
     *
     * @param payload null if there was none
     */
    public void give(@Nullable Payload payload) {
        given = payload;
    }

    public boolean isThere() {
        return given != null;
    }

    /**
     * Takes the memory. It then belongs to the caller.
     *
     * @param lengthBytes as {@link FileData#memoryBytes} says; 0 needs none
     * @return null if there was none
     */
    public @Nullable Payload take(int lengthBytes) {
        return lengthBytes == 0 ? FileData.noMemory() : take();
    }

    /** Releases the memory if it was not taken. */
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
