package org.warpnfs.iwarp.ddp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;

/**
 * Receives segments (RFC 5041, sections 5 and 7). It checks each header as soon as it is complete, then places the
 * payload as it arrives.
 *
 * <h2>Operation</h2>
 *
 * For each segment the caller calls {@link #segmentStarted}, {@link #segmentBytes} as often as needed, then
 * {@link #segmentEnded}. Checks run in this order, and the first that fails is reported: length, version, queue, the
 * upper layer's checks, sequence number, buffer, bounds.
 *
 * <h2>Buffers</h2>
 *
 * Keeps 18 bytes for a header. Payload goes straight to the {@link PlacementTarget}.
 *
 * <h2>Errors</h2>
 *
 * A violation ends the stream, and no more segments may be given. {@link #offendingHeader()} then returns the header of
 * the segment that caused it.
 */
public final class DdpReceiver {
    private final DdpUlp ulp;
    private final ByteBuffer headerBytes = ByteBuffer.allocate(UntaggedHeader.BYTES);
    private int segmentBytes;
    private boolean checked;
    private @Nullable TaggedHeader tagged;
    private @Nullable UntaggedHeader untagged;
    private @Nullable UntaggedQueue queue;
    private @Nullable PlacementTarget target;
    private int placeAt;

    public DdpReceiver(DdpUlp ulp) {
        this.ulp = ulp;
    }

    /** A segment of this length begins. */
    public void segmentStarted(int lengthBytes) throws ProtocolViolation {
        segmentBytes = lengthBytes;
        headerBytes.clear();
        checked = false;
        tagged = null;
        untagged = null;
        queue = null;
        target = null;
    }

    /** The next bytes of the segment, from position to limit, which are consumed. */
    public void segmentBytes(ByteBuffer bytes) throws ProtocolViolation {
        if (!checked && !gatherHeader(bytes)) {
            return;
        }
        PlacementTarget place = target;
        if (place != null && bytes.hasRemaining()) {
            place.place(placeAt, bytes);
            placeAt += bytes.remaining();
        }
        bytes.position(bytes.limit());
    }

    /** Checks that a segment whose bytes have all arrived had a complete header. */
    public void checkWhole() throws ProtocolViolation {
        if (!checked) {
            throw tooShort();
        }
    }

    /** The segment is complete. */
    public void segmentEnded() throws ProtocolViolation {
        if (tagged != null) {
            ulp.taggedPlaced(tagged, segmentBytes - TaggedHeader.BYTES);
        } else if (untagged != null && queue != null) {
            int payloadBytes = segmentBytes - UntaggedHeader.BYTES;
            boolean opens = !queue.inMessage();
            UntaggedBuffer complete = queue.placed(untagged, payloadBytes);
            if (complete != null) {
                ulp.untaggedDelivered(untagged, complete, Math.toIntExact(untagged.mo() + payloadBytes));
            } else if (opens) {
                ulp.untaggedOpened(untagged);
            }
        } else {
            throw tooShort();
        }
    }

    /** The length of the current segment, header included. */
    public int segmentLengthBytes() {
        return segmentBytes;
    }

    /** The header of the current segment, 14 or 18 bytes. Empty if the segment was too short for its header. */
    public ByteBuffer offendingHeader() {
        ByteBuffer header = headerBytes.duplicate().flip();
        return header.hasRemaining() && header.remaining() == wantedHeaderBytes() ? header : header.limit(0);
    }

    /** The queue number in the current segment; -1 if the segment has none. */
    public long offendingQn() {
        ByteBuffer header = offendingHeader();
        return header.remaining() == UntaggedHeader.BYTES
                ? UntaggedHeader.parse(header).qn()
                : -1;
    }

    private int wantedHeaderBytes() {
        return (headerBytes.get(0) & DdpControl.TAGGED) != 0 ? TaggedHeader.BYTES : UntaggedHeader.BYTES;
    }

    /** Collects header bytes. True once the header is complete and valid. */
    private boolean gatherHeader(ByteBuffer bytes) throws ProtocolViolation {
        if (headerBytes.position() == 0) {
            headerBytes.put(bytes.get());
        }
        int wantedBytes = wantedHeaderBytes();
        if (segmentBytes < wantedBytes) {
            throw tooShort();
        }
        int lengthBytes = Math.min(wantedBytes - headerBytes.position(), bytes.remaining());
        headerBytes.put(headerBytes.position(), bytes, bytes.position(), lengthBytes);
        headerBytes.position(headerBytes.position() + lengthBytes);
        bytes.position(bytes.position() + lengthBytes);
        if (headerBytes.position() < wantedBytes) {
            return false;
        }
        checked = true;
        ByteBuffer header = headerBytes.duplicate().flip();
        if (wantedBytes == TaggedHeader.BYTES) {
            checkTagged(header);
        } else {
            checkUntagged(header);
        }
        return true;
    }

    private void checkTagged(ByteBuffer bytes) throws ProtocolViolation {
        checkVersion(bytes, DdpError.TAGGED_VERSION);
        TaggedHeader header = TaggedHeader.parse(bytes);
        int payloadBytes = segmentBytes - TaggedHeader.BYTES;
        TaggedBuffer buffer = ulp.checkTagged(header, payloadBytes);
        tagged = header;
        if (buffer != null) {
            placeAt = buffer.offsetOf(header, payloadBytes);
            target = buffer;
        }
    }

    private void checkUntagged(ByteBuffer bytes) throws ProtocolViolation {
        checkVersion(bytes, DdpError.UNTAGGED_VERSION);
        UntaggedHeader header = UntaggedHeader.parse(bytes);
        UntaggedQueue named = ulp.queue(header);
        if (named == null) {
            throw new DdpViolation(DdpError.UNTAGGED_QN, "QN " + header.qn() + " (RFC 5041, section 7.1)");
        }
        ulp.checkUntagged(header, named.continues(header));
        target = named.check(header, segmentBytes - UntaggedHeader.BYTES);
        placeAt = (int) header.mo();
        untagged = header;
        queue = named;
    }

    private static void checkVersion(ByteBuffer header, DdpError error) throws DdpViolation {
        int version = header.get(0) & DdpControl.VERSION_MASK;
        if (version != DdpControl.VERSION) {
            throw new DdpViolation(error, "DDP version " + version + " (RFC 5041, section 4.1)");
        }
    }

    private DdpSegmentTooShort tooShort() {
        return new DdpSegmentTooShort("segment of " + segmentBytes + " bytes is shorter than its header");
    }
}
