package org.warpnfs.testkit;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One TCP connection of a capture, with the reassembled bytes of both directions.
 *
 * @param initiator address of the end that sent the SYN
 * @param responder address of the end that answered it
 * @param fromInitiator everything the initiator sent, up to the first gap of the capture
 * @param fromResponder everything the responder sent, likewise
 * @param turns the pieces of both streams in the order of the capture, cut at packet boundaries
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

    /** The new bytes of one turn. */
    public ByteBuffer bytes(Turn turn) {
        return from(turn.from()).slice(turn.offsetBytes(), turn.lengthBytes());
    }

    /** One end of the connection. */
    public enum Side {
        INITIATOR,
        RESPONDER
    }

    /**
     * Bytes that became readable at one moment.
     *
     * @param from the sender
     * @param offsetBytes their offset in the sender's stream
     * @param lengthBytes their number
     */
    public record Turn(Side from, int offsetBytes, int lengthBytes) {}
}
