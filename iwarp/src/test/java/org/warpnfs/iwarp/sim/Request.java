package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** A Read Request or an Atomic Request that has arrived and has not been answered, as the responder knows it. */
final class Request {
    static final int READ_BYTES = 28;
    static final int ATOMIC_BYTES = 52;

    /** The header of its segment. */
    final ByteBuffer header;

    /** The whole message. */
    final ByteBuffer message;

    /** The region that is read or changed; null for a zero-length Read. */
    final ModelRegion region;

    final int offset;

    /** The operation, if it is an atomic one. */
    final WorkRequest operation;

    /** The step in which it arrived. */
    final int since;

    /** Bytes of the response that have been sent. */
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

    /** The part of a Read Request that has not been answered. */
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

    /** Whether its region was revoked meanwhile. */
    boolean revoked() {
        return region != null && !executed && !region.valid();
    }

    /** Applies an atomic operation to the expected contents. */
    void execute(int now) {
        original = region.span.expectedWord(offset);
        region.span.expectWord(offset, Work.execute(operation, original), now);
        executed = true;
    }
}
