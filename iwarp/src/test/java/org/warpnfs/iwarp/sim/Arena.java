package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * All memory of one end, with its expected contents: regions, receive buffers, released memory, and the gaps between
 * them. Memory that was taken is never given out again, so {@link #check} finds every byte that was changed wrongly.
 */
final class Arena {
    private static final int GAP_BYTES = 8;
    private static final byte RELEASED = (byte) 0xdb;

    private final ByteBuffer actual;
    private final ByteBuffer expected;
    private final int[] changedAt;
    private int used;

    /** @param direct whether the memory supports atomic operations */
    Arena(int lengthBytes, boolean direct) {
        this.actual = direct
                ? ByteBuffer.allocateDirect(lengthBytes + 8).alignedSlice(8).slice(0, lengthBytes)
                : ByteBuffer.allocate(lengthBytes);
        this.expected = ByteBuffer.allocate(lengthBytes);
        this.changedAt = new int[lengthBytes];
    }

    /** Starts over. */
    void clear() {
        for (int i = 0; i < used; i++) {
            actual.put(i, (byte) 0);
        }
        Arrays.fill(expected.array(), 0, used, (byte) 0);
        Arrays.fill(changedAt, 0, used, 0);
        used = 0;
    }

    int roomBytes() {
        return actual.capacity() - used - 2 * GAP_BYTES;
    }

    /** The next piece of memory, filled with random bytes, at an address that is a multiple of eight. */
    Span take(int lengthBytes, SplittableRandom random) {
        int at = used + GAP_BYTES;
        used = at + (lengthBytes + 7 & ~7);
        byte[] noise = new byte[lengthBytes];
        random.nextBytes(noise);
        actual.put(at, noise);
        expected.put(at, noise);
        return new Span(at, lengthBytes);
    }

    /** Checks that every byte is as expected. */
    void check(String whose) {
        int end = Math.min(actual.capacity(), used + GAP_BYTES);
        int at = actual.slice(0, end).mismatch(expected.slice(0, end));
        Broken.unless(
                at < 0,
                () -> whose + ": the byte at " + at + " is " + Integer.toHexString(actual.get(at) & 0xff)
                        + " and should be " + Integer.toHexString(expected.get(at) & 0xff));
    }

    /** A piece of the arena. */
    final class Span {
        private final int at;
        private final int lengthBytes;

        private Span(int at, int lengthBytes) {
            this.at = at;
            this.lengthBytes = lengthBytes;
        }

        int lengthBytes() {
            return lengthBytes;
        }

        /** The actual memory. */
        ByteBuffer memory() {
            return actual.slice(at, lengthBytes);
        }

        /** The expected contents. */
        ByteBuffer expected(int offset, int bytes) {
            return expected.slice(at + offset, bytes);
        }

        /** Sets the expected contents from now on. */
        void expect(int offset, ByteBuffer bytes, int now) {
            expected.put(at + offset, bytes, bytes.position(), bytes.remaining());
            Arrays.fill(changedAt, at + offset, at + offset + bytes.remaining(), now);
        }

        /** Whether the expected contents have changed there since then. */
        boolean changedSince(int offset, int then) {
            return changedAt[at + offset] >= then;
        }

        /** Fills released memory with a pattern that nobody may change or see. */
        void poison() {
            for (int i = 0; i < lengthBytes; i++) {
                actual.put(at + i, RELEASED);
                expected.put(at + i, RELEASED);
            }
        }

        long word(int offset) {
            return actual.order(ByteOrder.nativeOrder()).getLong(at + offset);
        }

        long expectedWord(int offset) {
            return expected.order(ByteOrder.nativeOrder()).getLong(at + offset);
        }

        void expectWord(int offset, long word, int now) {
            expected.order(ByteOrder.nativeOrder()).putLong(at + offset, word);
            Arrays.fill(changedAt, at + offset, at + offset + Long.BYTES, now);
        }
    }
}
