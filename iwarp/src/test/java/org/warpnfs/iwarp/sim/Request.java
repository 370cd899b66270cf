package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * A Read Request or an Atomic Request that has arrived and has not been answered, as whoever has to answer it may know
 * it.
 */
final class Request {
    static final int READ_BYTES = 28;
    static final int ATOMIC_BYTES = 52;

    /** The header of its segment. */
    final ByteBuffer header;

    /** The whole message. */
    final ByteBuffer message;

    /** What is read or changed; null for a Read of nothing. */
    final ModelRegion region;

    final int offset;

    /** The operation, if it is an atomic one. */
    final WorkRequest operation;

    /** When it arrived. */
    final int since;

    /** Bytes of the answer that have left. */
    int answeredBytes;

    /** An atomic operation that has been executed. */
    boolean executed;

    long original;

    Request(Segment segment, ModelRegion region, int offset, WorkRequest operation, int since) {
        this.header = copy(segment.header());
        this.message = copy(segment.payload());
        this.region = region;
        this.offset = offset;
        this.operation = operation;
        this.since = since;
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }

    boolean isAtomic() {
        return operation != null;
    }

    long sinkStag() {
        return Integer.toUnsignedLong(message.getInt(0));
    }

    long sinkOffset() {
        return message.getLong(4);
    }

    int sizeBytes() {
        return message.getInt(12);
    }

    /** What of a Read Request has not been answered. */
    ByteBuffer rest() {
        ByteBuffer rest = copy(message.duplicate());
        rest.putLong(4, rest.getLong(4) + answeredBytes);
        rest.putInt(12, rest.getInt(12) - answeredBytes);
        rest.putLong(20, rest.getLong(20) + answeredBytes);
        return rest;
    }

    /** The identifier in an Atomic Request. */
    int identifier() {
        return message.getInt(4);
    }

    /** Whether what it is about was taken away meanwhile. */
    boolean revoked() {
        return region != null && !executed && !region.valid();
    }

    /** Does what an atomic operation does, to what the word should be. */
    void execute(int now) {
        original = region.span.expectedWord(offset);
        region.span.expectWord(offset, Work.execute(operation, original), now);
        executed = true;
    }
}
