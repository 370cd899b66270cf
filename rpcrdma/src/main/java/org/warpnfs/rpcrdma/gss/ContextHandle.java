package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The name of a context on the wire: 16 random bytes, so that nobody can guess the context of another. */
record ContextHandle(long first, long second) {
    static final int BYTES = 2 * Long.BYTES;

    /** @param random must be unpredictable */
    static ContextHandle draw(RandomGenerator random) {
        return new ContextHandle(random.nextLong(), random.nextLong());
    }

    /** The handle in these bytes; null if they are not a handle of this server. */
    static @Nullable ContextHandle of(ByteBuffer bytes) {
        return bytes.remaining() == BYTES
                ? new ContextHandle(bytes.getLong(bytes.position()), bytes.getLong(bytes.position() + Long.BYTES))
                : null;
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putLong(first).putLong(second).array();
    }

    /** Does not show the handle, which is a secret. */
    @Override
    public String toString() {
        return "context " + Integer.toHexString(hashCode() & 0xffff);
    }
}
