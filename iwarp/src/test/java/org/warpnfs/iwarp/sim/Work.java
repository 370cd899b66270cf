package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** A work request from its posting to its completion, as its poster knows it. */
final class Work {
    final WorkRequest request;

    /** The content of a Send or a Write. */
    final byte[] content;

    /** The buffers that it was posted from. They are overwritten as soon as it is complete. */
    final List<ByteBuffer> buffers;

    /** The peer's region that it uses, if it keeps the rules; null for none. */
    final ModelRegion target;

    /** The sink of a Read, or the region of a LocalInvalidate; null for none. */
    final ModelRegion own;

    /** Whether it was posted when no more work is done. */
    boolean mustFlush;

    /** Whether a byte of it has been sent. */
    boolean begun;

    int leftBytes;

    /** Whether all of it has been sent. */
    boolean left;

    /** Whether its response has arrived. */
    boolean answered;

    /** The previous value of an atomic operation, according to its response. */
    long original;

    /** Its queue and its message number there; -1 and 0 for a tagged one. */
    long qn = -1;

    long msn;

    Work(WorkRequest request, byte[] content, List<ByteBuffer> buffers, ModelRegion target, ModelRegion own) {
        this.request = request;
        this.content = content;
        this.buffers = buffers;
        this.target = target;
        this.own = own;
    }

    boolean awaitsAnswer() {
        return request instanceof WorkRequest.RdmaRead || isAtomic();
    }

    boolean isAtomic() {
        return request instanceof WorkRequest.FetchAdd || request instanceof WorkRequest.CompareSwap;
    }

    /** Whether it is a message for the peer's receives. */
    boolean isMessage() {
        return request instanceof WorkRequest.Send || request instanceof WorkRequest.ImmediateData;
    }

    boolean sendsSomething() {
        return !(request instanceof WorkRequest.LocalInvalidate);
    }

    /** Whether a completion has its kind. */
    boolean completesWith(Completion completion) {
        return switch (request) {
            case WorkRequest.Send _ -> completion instanceof Completion.Sent;
            case WorkRequest.RdmaWrite _, WorkRequest.FileWrite _ -> completion instanceof Completion.Written;
            case WorkRequest.RdmaRead _ -> completion instanceof Completion.ReadDone;
            case WorkRequest.ImmediateData _ -> completion instanceof Completion.ImmediateSent;
            case WorkRequest.FetchAdd _, WorkRequest.CompareSwap _ -> completion instanceof Completion.AtomicDone;
            case WorkRequest.LocalInvalidate _ -> completion instanceof Completion.Invalidated;
        };
    }

    /** Whether it asks the peer for an event. */
    boolean solicited() {
        return request instanceof WorkRequest.Send send
                ? send.solicitedEvent()
                : ((WorkRequest.ImmediateData) request).solicitedEvent();
    }

    /** Whether it is a Write of which a segment may begin there. */
    boolean isWriteTo(long stag, long taggedOffset) {
        if (!(request instanceof WorkRequest.RdmaWrite write)) {
            return false;
        }
        long offset = taggedOffset - write.sink().taggedOffset();
        return write.sink().stag() == stag && (offset == 0 || Long.compareUnsigned(offset, content.length) < 0);
    }

    void poison() {
        for (ByteBuffer buffer : buffers) {
            for (int i = buffer.position(); i < buffer.limit(); i++) {
                buffer.put(i, (byte) 0xcc);
            }
        }
    }

    /** The result of an atomic operation on a word, by RFC 7306, sections 5.1.1 and 5.1.2, bit by bit. */
    static long execute(WorkRequest operation, long word) {
        if (operation instanceof WorkRequest.CompareSwap swap) {
            boolean matches = ((word ^ swap.compare().data()) & swap.compare().mask()) == 0;
            long mask = swap.swap().mask();
            return matches ? (word & ~mask) | (swap.swap().data() & mask) : word;
        }
        MaskedWord add = ((WorkRequest.FetchAdd) operation).add();
        long sum = 0;
        int carry = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            int of = (int) (word >>> bit & 1) + (int) (add.data() >>> bit & 1) + carry;
            sum |= (long) (of & 1) << bit;
            // A bit of the mask is the top bit of a field, and no carry leaves the field.
            carry = (add.mask() >>> bit & 1) == 1 ? 0 : of >> 1;
        }
        return sum;
    }

    @Override
    public String toString() {
        return request.getClass().getSimpleName() + " " + request.id();
    }
}
