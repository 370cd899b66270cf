package org.warpnfs.iwarp.ddp;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** The protocol above DDP, as {@link DdpReceiver} needs it. */
public interface DdpUlp {
    /**
     * The queue of the number that a segment names; null if this stream does not have it.
     *
     * @throws ProtocolViolation if the upper layer has a more precise error than DDP
     */
    @Nullable
    UntaggedQueue queue(UntaggedHeader header) throws ProtocolViolation;

    /**
     * The upper layer's own checks of an untagged segment, before any byte is placed.
     *
     * @param continues false if the segment continues a message but its upper layer bits differ from the message's
     */
    void checkUntagged(UntaggedHeader header, boolean continues) throws ProtocolViolation;

    /** The first segment of an untagged message has been placed, and more segments follow. */
    void untaggedOpened(UntaggedHeader header);

    /** An untagged message is complete. */
    void untaggedDelivered(UntaggedHeader lastHeader, UntaggedBuffer buffer, int messageBytes) throws ProtocolViolation;

    /**
     * Checks a tagged segment and returns the buffer for its payload, before any byte is placed.
     *
     * @return null only if {@code payloadBytes} is 0, where STag and TO have no meaning (RFC 5041, section 5.2)
     */
    @Nullable
    TaggedBuffer checkTagged(TaggedHeader header, int payloadBytes) throws ProtocolViolation;

    /** A tagged segment has been placed. */
    void taggedPlaced(TaggedHeader header, int payloadBytes) throws ProtocolViolation;
}
