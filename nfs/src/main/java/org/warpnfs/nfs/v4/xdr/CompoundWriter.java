package org.warpnfs.nfs.v4.xdr;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.nfs.xdr.PayloadXdr;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.Source;

/**
 * Collects the results of a COMPOUND.
 *
 * <h2>Operation</h2>
 *
 * The transport's XDR stream holds the call until the reply begins, and a COMPOUND is executed while it is decoded. So
 * results are collected here and written to the stream in one piece at the end. Results can be taken back by
 * {@link #truncate} if an operation fails or its result is too large. They can be kept in a slot's reply cache.
 *
 * <h2>Buffers</h2>
 *
 * This object owns a payload until {@link #writeTo} passes it on, or {@link #truncate} or {@link #release} releases it.
 *
 * <h2>Errors</h2>
 *
 * No encoder fails. The code that adds results limits their size. Not safe for several threads.
 */
public final class CompoundWriter {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int INITIAL_BYTES = 256;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int length;
    private final List<Placed> payloads = new ArrayList<>(1);
    private long payloadBytes;

    /** @param position of its length word, which is among the bytes too, so that no other item begins there */
    private record Placed(int position, Source payload, int lengthBytes, boolean eligible) {
        int end() {
            return position + Integer.BYTES;
        }
    }

    public void int32(int value) {
        ensure(Integer.BYTES);
        INT.set(bytes, length, value);
        length += Integer.BYTES;
    }

    public void uint32(long value) {
        int32((int) value);
    }

    public void int64(long value) {
        ensure(Long.BYTES);
        LONG.set(bytes, length, value);
        length += Long.BYTES;
    }

    public void bool(boolean value) {
        int32(value ? 1 : 0);
    }

    /** Variable-length opaque data. */
    public void opaque(byte[] data) {
        int32(data.length);
        fixedOpaque(data);
    }

    /** Fixed-length opaque data, padded. */
    public void fixedOpaque(byte[] data) {
        int padded = roundUp(data.length);
        ensure(padded);
        System.arraycopy(data, 0, bytes, length, data.length);
        Arrays.fill(bytes, length + data.length, length + padded, (byte) 0);
        length += padded;
    }

    /** Repeats what was written from {@code position} on. There must be no payload in it. */
    public void repeat(int position) {
        int count = length - position;
        ensure(count);
        System.arraycopy(bytes, position, bytes, length, count);
        length += count;
    }

    /** Variable-length opaque data that is DDP-eligible (RFC 8267). Takes ownership. */
    public void payload(Source payload) {
        place(payload, true);
    }

    /** Variable-length opaque data that is not DDP-eligible, whether in a pooled buffer or not. Takes ownership. */
    public void inlinePayload(Payload payload) {
        place(payload, false);
    }

    private void place(Source payload, boolean eligible) {
        if (payload.lengthBytes() == 0) {
            // Empty data: a transport has nothing to place.
            int32(0);
            payload.release();
            return;
        }
        payloads.add(new Placed(length, payload, payload.lengthBytes(), eligible));
        payloadBytes += roundUp(payload.lengthBytes());
        int32(payload.lengthBytes());
    }

    /** True if this object holds payloads. */
    public boolean holdsPayloads() {
        return !payloads.isEmpty();
    }

    /** Adds {@code data} as a variable-length opaque that is DDP-eligible. */
    public void payload(byte[] data) {
        payload(Payload.unpooled(ByteBuffer.wrap(data)));
    }

    /** Position of the next item, for {@link #truncate} and {@link #patch}. */
    public int position() {
        return length;
    }

    /** Overwrites a word written earlier. */
    public void patch(int position, int value) {
        INT.set(bytes, position, value);
    }

    /** Takes back everything written from {@code position} on. */
    public void truncate(int position) {
        length = position;
        while (!payloads.isEmpty() && payloads.getLast().position() >= position) {
            Placed last = payloads.removeLast();
            payloadBytes -= roundUp(last.lengthBytes());
            last.payload().release();
        }
    }

    /** Length of the whole on the wire without chunks, including payloads with their length words and pads. */
    public long sizeBytes() {
        return length + payloadBytes;
    }

    /** Bytes on the heap: everything except payloads in pooled buffers. */
    public long heapBytes() {
        long sum = length;
        for (Placed placed : payloads) {
            sum += placed.payload().heapBytes();
        }
        return sum;
    }

    /** Releases all payloads. */
    public void release() {
        truncate(0);
    }

    /** A copy of what was written from {@code position} on. There must be no payload in it. */
    public byte[] toByteArray(int position) {
        return Arrays.copyOfRange(bytes, position, length);
    }

    /** A copy of the whole, including payloads. */
    public byte[] toByteArray() {
        byte[] copy = new byte[Math.toIntExact(sizeBytes())];
        int from = 0;
        int to = 0;
        for (Placed placed : payloads) {
            System.arraycopy(bytes, from, copy, to, placed.end() - from);
            to += placed.end() - from;
            from = placed.end();
            placed.payload().bytes().get(copy, to, placed.lengthBytes());
            to += roundUp(placed.lengthBytes());
        }
        System.arraycopy(bytes, from, copy, to, length - from);
        return copy;
    }

    /**
     * Writes everything to a reply's stream, payloads as payloads. This object is empty afterwards. If encoding fails,
     * it keeps the payloads that it has not passed on, for {@link #release}.
     */
    public void writeTo(XdrEncodingStream out) {
        int from = 0;
        while (!payloads.isEmpty()) {
            out.xdrEncodeOpaque(bytes, from, payloads.getFirst().position() - from);
            Placed item = payloads.removeFirst();
            from = item.end();
            if (item.eligible()) {
                PayloadXdr.encode(out, item.payload());
            } else {
                PayloadXdr.encodeInline(out, (Payload) item.payload());
            }
        }
        out.xdrEncodeOpaque(bytes, from, length - from);
        length = 0;
        payloadBytes = 0;
    }

    /** Rounds a length up to XDR's unit of four bytes. */
    public static int roundUp(int lengthBytes) {
        return (lengthBytes + 3) & ~3;
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
