package org.warpnfs.iwarp.ddp;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** The protocol above DDP, as the receiver needs it. */
public interface DdpUlp {
    /**
     * The queue that a segment names; null if this stream has none of that number.
     *
     * @throws ProtocolViolation if there is more to be said about that than DDP could
     */
    @Nullable
    UntaggedQueue queue(UntaggedHeader header) throws ProtocolViolation;

    /**
     * The upper layer's own checks of an untagged segment, before any byte is placed.
     *
     * @param continues false when its bits differ from those of the message that it continues
     */
    void checkUntagged(UntaggedHeader header, boolean continues) throws ProtocolViolation;

    /** The first segment of an untagged message has been placed, and more are to come. */
    void untaggedOpened(UntaggedHeader header);

    /** An untagged message is complete. */
    void untaggedDelivered(UntaggedHeader lastHeader, UntaggedBuffer buffer, int messageBytes) throws ProtocolViolation;

    /**
     * Checks a tagged segment and says where its payload goes, before any byte is placed.
     *
     * @return null only where {@code payloadBytes} is 0: STag and TO mean nothing then (RFC 5041, section 5.2)
     */
    @Nullable
    TaggedBuffer checkTagged(TaggedHeader header, int payloadBytes) throws ProtocolViolation;

    /** A tagged segment has been placed. */
    void taggedPlaced(TaggedHeader header, int payloadBytes) throws ProtocolViolation;
}
