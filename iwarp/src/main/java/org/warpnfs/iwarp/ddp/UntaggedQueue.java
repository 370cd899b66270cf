package org.warpnfs.iwarp.ddp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of one untagged queue (RFC 5041, sections 5.2, 7.1). Message n goes into the n-th posted buffer.
 *
 * <h2>Operation</h2>
 *
 * The caller calls {@link #check} before it places a segment's payload, and {@link #placed} after. Messages arrive one
 * after the other, because the stream below keeps their order. The segments of one message may arrive in any order.
 *
 * <h2>Buffers</h2>
 *
 * Holds a posted buffer until its message is complete or {@link #poll} takes it back.
 *
 * <h2>Errors</h2>
 *
 * A wrong MSN, a missing buffer, a message that does not fit and a gap in a message are violations. The queue is not
 * used after a violation.
 */
public final class UntaggedQueue {
    private static final int FIRST_MSN = 1;

    private final int qn;
    private final Deque<UntaggedBuffer> posted = new ArrayDeque<>();
    private Supplier<@Nullable UntaggedBuffer> source = () -> null;
    private final Coverage coverage = new Coverage();
    private int expectedMsn;
    private boolean inMessage;
    private int openRsvdUlp;
    private long openRsvdUlpWord;

    public UntaggedQueue(int qn) {
        this(qn, FIRST_MSN);
    }

    /** @param firstMsn 1 on every real stream; tests use other numbers to see them wrap */
    UntaggedQueue(int qn, int firstMsn) {
        this.qn = qn;
        this.expectedMsn = firstMsn;
    }

    /** Sets the source of a buffer for a message that begins when none is posted here. */
    public void takeFrom(Supplier<@Nullable UntaggedBuffer> elsewhere) {
        source = elsewhere;
    }

    /** Appends a buffer to the queue. */
    public void post(UntaggedBuffer buffer) {
        posted.add(buffer);
    }

    /** Puts a buffer at the head of the queue, for the next message that begins. */
    public void postFirst(UntaggedBuffer buffer) {
        posted.addFirst(buffer);
    }

    /** Removes and returns the oldest buffer; null if there is none. */
    public @Nullable UntaggedBuffer poll() {
        return posted.poll();
    }

    /** The number of posted buffers. */
    public int size() {
        return posted.size();
    }

    /** True when some but not all segments of a message have arrived. */
    public boolean inMessage() {
        return inMessage;
    }

    /**
     * Runs the checks of RFC 5041, section 7.1 that precede placement.
     *
     * @return the buffer of the segment's message
     */
    UntaggedBuffer check(UntaggedHeader header, int payloadBytes) throws DdpViolation {
        if (header.msn() != expectedMsn) {
            throw violation(DdpError.UNTAGGED_MSN_RANGE, header, "expected MSN " + Integer.toUnsignedLong(expectedMsn));
        }
        UntaggedBuffer buffer = posted.peek();
        if (buffer == null) {
            buffer = source.get();
            if (buffer != null) {
                posted.add(buffer);
            }
        }
        if (buffer == null) {
            throw violation(DdpError.UNTAGGED_NO_BUFFER, header, "no buffer posted");
        }
        if (header.mo() > buffer.capacityBytes()) {
            throw violation(DdpError.UNTAGGED_MO, header, "buffer of " + buffer.capacityBytes() + " bytes");
        }
        if (payloadBytes > buffer.capacityBytes() - header.mo()) {
            throw violation(
                    DdpError.UNTAGGED_TOO_LONG,
                    header,
                    payloadBytes + " bytes into a buffer of " + buffer.capacityBytes() + " bytes");
        }
        return buffer;
    }

    /**
     * Whether a segment may continue the open message. The upper layer's bits must be the same in all segments of a
     * message.
     */
    boolean continues(UntaggedHeader header) {
        return !inMessage || (header.rsvdUlp() == openRsvdUlp && header.rsvdUlpWord() == openRsvdUlpWord);
    }

    /** Records a segment's payload as placed. Returns the buffer once its message is complete, else null. */
    @Nullable
    UntaggedBuffer placed(UntaggedHeader header, int payloadBytes) throws DdpViolation {
        if (!inMessage) {
            inMessage = true;
            openRsvdUlp = header.rsvdUlp();
            openRsvdUlpWord = header.rsvdUlpWord();
            coverage.reset();
        }
        if (payloadBytes > 0 && !coverage.add(header.mo(), payloadBytes)) {
            throw violation(
                    DdpError.UNTAGGED_MO, header, "more than " + Coverage.MAX_INTERVALS + " segments beyond a gap");
        }
        if (!header.last()) {
            return null;
        }
        if (!coverage.isExactly(header.mo() + payloadBytes)) {
            throw violation(DdpError.UNTAGGED_MO, header, "the message has a gap");
        }
        inMessage = false;
        expectedMsn++;
        return posted.poll();
    }

    private DdpViolation violation(DdpError error, UntaggedHeader header, String detail) {
        return new DdpViolation(
                error,
                "QN " + qn + " MSN " + Integer.toUnsignedLong(header.msn()) + " MO " + header.mo() + ": " + detail
                        + " (RFC 5041, section 7.1)");
    }
}
