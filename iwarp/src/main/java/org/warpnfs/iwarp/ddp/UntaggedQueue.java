package org.warpnfs.iwarp.ddp;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of one untagged queue (RFC 5041, sections 5.2, 7.1): message n goes into the n-th buffer posted.
 *
 * <h2>Operation</h2>
 *
 * {@link #check} before a segment's payload is placed, {@link #placed} after. Messages come one after the other,
 * because the stream below is in order; the segments of one message may come in any order.
 *
 * <h2>Buffers</h2>
 *
 * Holds what was posted until its message is complete or {@link #poll} takes it back.
 *
 * <h2>Errors</h2>
 *
 * A wrong MSN, no buffer, a message that does not fit and a hole in a message are violations; the queue is not used
 * after one.
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

    /** @param firstMsn 1 on every real stream; another where a test is to see the numbers wrap */
    UntaggedQueue(int qn, int firstMsn) {
        this.qn = qn;
        this.expectedMsn = firstMsn;
    }

    /** Takes a buffer from elsewhere when a message begins and none is posted here. */
    public void takeFrom(Supplier<@Nullable UntaggedBuffer> elsewhere) {
        source = elsewhere;
    }

    /** Adds a buffer for the next message that has none. */
    public void post(UntaggedBuffer buffer) {
        posted.add(buffer);
    }

    /** Puts a buffer before all others: the next message to begin goes there. */
    public void postFirst(UntaggedBuffer buffer) {
        posted.addFirst(buffer);
    }

    /** Takes the oldest buffer back; null if there is none. */
    public @Nullable UntaggedBuffer poll() {
        return posted.poll();
    }

    /** Buffers waiting. */
    public int size() {
        return posted.size();
    }

    /** True when some but not all segments of a message have arrived. */
    public boolean inMessage() {
        return inMessage;
    }

    /** The checks of RFC 5041, section 7.1 that come before placement. */
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

    /** Whether a segment may continue the open message: the upper layer's bits are the same in all of them. */
    boolean continues(UntaggedHeader header) {
        return !inMessage || (header.rsvdUlp() == openRsvdUlp && header.rsvdUlpWord() == openRsvdUlpWord);
    }

    /** Notes a segment's payload as placed; the buffer, once its message is complete. */
    @Nullable
    UntaggedBuffer placed(UntaggedHeader header, int payloadBytes) throws DdpViolation {
        if (!inMessage) {
            inMessage = true;
            openRsvdUlp = header.rsvdUlp();
            openRsvdUlpWord = header.rsvdUlpWord();
            coverage.reset();
        }
        if (payloadBytes > 0 && !coverage.add(header.mo(), payloadBytes)) {
            throw violation(DdpError.UNTAGGED_MO, header, "more than " + Coverage.MAX_INTERVALS + " gaps");
        }
        if (!header.last()) {
            return null;
        }
        if (!coverage.isExactly(header.mo() + payloadBytes)) {
            throw violation(DdpError.UNTAGGED_MO, header, "the message has a hole");
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
