package org.warpnfs.iwarp.ddp;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** The protocol above DDP, as the receiver needs it. */
public interface DdpUlp {
    /** The queue of that number; null if this stream has none. */
    @Nullable
    UntaggedQueue queue(long qn);

    /**
     * The upper layer's own checks of an untagged segment, before any byte is placed.
     *
     * @param continues false when its bits differ from those of the message that it continues
     */
    void checkUntagged(UntaggedHeader header, boolean continues) throws ProtocolViolation;

    /** An untagged message is complete. */
    void untaggedDelivered(UntaggedHeader lastHeader, UntaggedBuffer buffer, int messageBytes) throws ProtocolViolation;

    /**
     * Checks a tagged segment and says where its payload goes, before any byte is placed.
     *
     * @return null only where {@code payloadBytes} is 0: STag and TO mean nothing then (RFC 5041 section 5.2)
     */
    @Nullable
    TaggedBuffer checkTagged(TaggedHeader header, int payloadBytes) throws ProtocolViolation;

    /** A tagged segment has been placed. */
    void taggedPlaced(TaggedHeader header, int payloadBytes) throws ProtocolViolation;
}
