package org.warpnfs.testkit;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One TCP connection of a capture: both directions' bytes, put together.
 *
 * @param initiator who sent the SYN
 * @param responder who answered it
 * @param fromInitiator everything the initiator sent, up to the first gap of the capture
 * @param fromResponder everything the responder sent, likewise
 * @param turns both directions in the order of the capture: together they are the two streams, cut where the packets
 *     were
 */
public record CapturedConnection(
        InetSocketAddress initiator,
        InetSocketAddress responder,
        ByteBuffer fromInitiator,
        ByteBuffer fromResponder,
        List<Turn> turns) {
    public CapturedConnection {
        fromInitiator = fromInitiator.asReadOnlyBuffer();
        fromResponder = fromResponder.asReadOnlyBuffer();
        turns = List.copyOf(turns);
    }

    @Override
    public ByteBuffer fromInitiator() {
        return fromInitiator.duplicate();
    }

    @Override
    public ByteBuffer fromResponder() {
        return fromResponder.duplicate();
    }

    /** One direction's stream. */
    public ByteBuffer from(Side side) {
        return side == Side.INITIATOR ? fromInitiator() : fromResponder();
    }

    /** The new bytes that one turn brought. */
    public ByteBuffer bytes(Turn turn) {
        return from(turn.from()).slice(turn.offsetBytes(), turn.lengthBytes());
    }

    /** Who sent something. */
    public enum Side {
        INITIATOR,
        RESPONDER
    }

    /**
     * Bytes that became readable at one moment.
     *
     * @param from who sent them
     * @param offsetBytes where in the sender's stream they start
     * @param lengthBytes how many there are
     */
    public record Turn(Side from, int offsetBytes, int lengthBytes) {}
}
