package org.warpnfs.iwarp.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads and writes integers in network byte order, whatever byte order the buffer is set to. Unsigned 8- and 16-bit
 * values are {@code int}. Unsigned 32-bit values are {@code long}. Unsigned 64-bit values are {@code long}, to be
 * compared with {@link Long#compareUnsigned}.
 */
public final class BigEndian {
    private static final VarHandle SHORT = MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    /** The unsigned byte at an absolute index. */
    public static int u8(ByteBuffer bytes, int index) {
        return bytes.get(index) & 0xff;
    }

    /** The unsigned 16-bit value at an absolute index. */
    public static int u16(ByteBuffer bytes, int index) {
        return (short) SHORT.get(bytes, index) & 0xffff;
    }

    /** The unsigned 32-bit value at an absolute index. */
    public static long u32(ByteBuffer bytes, int index) {
        return (int) INT.get(bytes, index) & 0xffff_ffffL;
    }

    /** The unsigned 64-bit value at an absolute index. */
    public static long u64(ByteBuffer bytes, int index) {
        return (long) LONG.get(bytes, index);
    }

    /** Appends the low 8 bits. */
    public static void putU8(ByteBuffer out, int value) {
        out.put((byte) value);
    }

    /** Appends the low 16 bits. */
    public static void putU16(ByteBuffer out, int value) {
        int at = out.position();
        out.position(at + Short.BYTES);
        SHORT.set(out, at, (short) value);
    }

    /** Appends the low 32 bits. */
    public static void putU32(ByteBuffer out, long value) {
        int at = out.position();
        out.position(at + Integer.BYTES);
        INT.set(out, at, (int) value);
    }

    /** Appends 64 bits. */
    public static void putU64(ByteBuffer out, long value) {
        int at = out.position();
        out.position(at + Long.BYTES);
        LONG.set(out, at, value);
    }
}
