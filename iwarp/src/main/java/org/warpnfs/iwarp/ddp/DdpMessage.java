package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;
import java.util.List;
import org.warpnfs.iwarp.io.GatherCursor;

/**
 * An outbound message, to be cut into segments (RFC 5041, section 5.2).
 *
 * <h2>Operation</h2>
 *
 * Until {@link #ended()}, the caller asks for the payload length of the next segment, appends its header, and takes its
 * payload from {@link #payload()}. A segment but the last has the size that the caller permits. A message without
 * payload is one segment.
 *
 * <h2>Buffers</h2>
 *
 * The payload belongs to the poster of the work request and is read through slices.
 *
 * <h2>Errors</h2>
 *
 * None: a message was checked when it was posted.
 */
public abstract sealed class DdpMessage {
    private final GatherCursor payload;
    private boolean ended;

    private DdpMessage(GatherCursor payload) {
        this.payload = payload;
    }

    /** The cursor that payload is taken from. */
    public final GatherCursor payload() {
        return payload;
    }

    /** The length of the header of each segment. */
    public abstract int headerBytes();

    /**
     * The payload length of the next segment.
     *
     * @param mulpduBytes the largest segment that may be made, header included
     */
    public final int nextPayloadBytes(int mulpduBytes) {
        return (int) Math.min(payload.remainingBytes(), mulpduBytes - headerBytes());
    }

    /** Appends the next segment's header. The caller takes the segment's payload before the next call. */
    public final void encodeHeader(ByteBuffer out, int payloadBytes) {
        ended = payloadBytes == payload.remainingBytes();
        encodeHeader(out, ended, payloadBytes);
    }

    abstract void encodeHeader(ByteBuffer out, boolean last, int payloadBytes);

    /** True once the header of the last segment has been appended. */
    public final boolean ended() {
        return ended;
    }

    /** A message to a buffer that the peer advertised. */
    public static final class Tagged extends DdpMessage {
        private final int rsvdUlp;
        private final long stag;
        private long taggedOffset;

        public Tagged(int rsvdUlp, long stag, long taggedOffset, List<ByteBuffer> payload) {
            this(rsvdUlp, stag, taggedOffset, new GatherCursor(payload));
        }

        public Tagged(int rsvdUlp, long stag, long taggedOffset, GatherCursor payload) {
            super(payload);
            this.rsvdUlp = rsvdUlp;
            this.stag = stag;
            this.taggedOffset = taggedOffset;
        }

        @Override
        public int headerBytes() {
            return TaggedHeader.BYTES;
        }

        @Override
        void encodeHeader(ByteBuffer out, boolean last, int payloadBytes) {
            new TaggedHeader(last, rsvdUlp, stag, taggedOffset).encode(out);
            taggedOffset += payloadBytes;
        }
    }

    /** A message to the next buffer of one of the peer's queues. */
    public static final class Untagged extends DdpMessage {
        private final int rsvdUlp;
        private final long rsvdUlpWord;
        private final int qn;
        private final int msn;
        private long mo;

        public Untagged(int rsvdUlp, long rsvdUlpWord, int qn, int msn, List<ByteBuffer> payload) {
            super(new GatherCursor(payload));
            this.rsvdUlp = rsvdUlp;
            this.rsvdUlpWord = rsvdUlpWord;
            this.qn = qn;
            this.msn = msn;
        }

        /** The number of the queue that the message goes to. */
        public int qn() {
            return qn;
        }

        /** The sequence number of the message in that queue. */
        public int msn() {
            return msn;
        }

        @Override
        public int headerBytes() {
            return UntaggedHeader.BYTES;
        }

        @Override
        void encodeHeader(ByteBuffer out, boolean last, int payloadBytes) {
            new UntaggedHeader(last, rsvdUlp, rsvdUlpWord, qn, msn, mo).encode(out);
            mo += payloadBytes;
        }
    }
}
