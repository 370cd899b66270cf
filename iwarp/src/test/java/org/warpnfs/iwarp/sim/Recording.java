package org.warpnfs.iwarp.sim;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.mpa.Deframer;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaFrameReader;
import org.warpnfs.iwarp.mpa.UlpduSink;

/**
 * Records the one connection of a simulation as it would appear on a wire if each startup frame and each FPDU had a TCP
 * segment of its own, which is easiest for dissectors.
 */
final class Recording implements Simulation.Tap {
    private final Direction fromInitiator = new Direction(true);
    private final Direction fromResponder = new Direction(false);
    private final InetSocketAddress responder;
    private int carried;

    Recording(InetSocketAddress responder) {
        this.responder = responder;
    }

    /** A TCP segment. */
    record Segment(boolean fromInitiator, int order, ByteBuffer bytes, boolean fpdu) {}

    private static final class Direction {
        final boolean initiator;
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();

        /** The length of the stream after each piece, and its time. */
        final List<int[]> pieces = new ArrayList<>();

        Direction(boolean initiator) {
            this.initiator = initiator;
        }

        Segment segment(int from, int to, boolean fpdu) {
            int order = 0;
            for (int[] piece : pieces) {
                order = piece[1];
                if (piece[0] >= to) {
                    break;
                }
            }
            return new Segment(
                    initiator,
                    order,
                    ByteBuffer.wrap(stream.toByteArray(), from, to - from).slice(),
                    fpdu);
        }
    }

    @Override
    public void carried(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes) {
        Direction direction = to.equals(responder) ? fromInitiator : fromResponder;
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        direction.stream.writeBytes(copy);
        direction.pieces.add(new int[] {direction.stream.size(), carried++});
    }

    MpaFrame request() throws ProtocolViolation {
        return new MpaFrameReader(MpaFrame.Kind.REQUEST).read(ByteBuffer.wrap(fromInitiator.stream.toByteArray()));
    }

    MpaFrame reply() throws ProtocolViolation {
        return new MpaFrameReader(MpaFrame.Kind.REPLY).read(ByteBuffer.wrap(fromResponder.stream.toByteArray()));
    }

    /** All segments, in the order in which they arrived. */
    List<Segment> segments() throws ProtocolViolation {
        boolean crc = request().crc() || reply().crc();
        List<Segment> all = new ArrayList<>();
        cut(fromInitiator, request(), new MpaAgreement.Framing(crc, false, reply().markers()), all);
        cut(
                fromResponder,
                reply(),
                new MpaAgreement.Framing(crc, false, request().markers()),
                all);
        all.sort(Comparator.comparingInt(Segment::order));
        return all;
    }

    private static void cut(Direction direction, MpaFrame frame, MpaAgreement.Framing framing, List<Segment> into)
            throws ProtocolViolation {
        into.add(direction.segment(0, frame.lengthBytes(), false));
        ByteBuffer rest = ByteBuffer.wrap(direction.stream.toByteArray()).position(frame.lengthBytes());
        Ended ended = new Ended();
        Deframer deframer = Deframer.of(ended, framing);
        for (int from = rest.position(); rest.hasRemaining(); from = rest.position()) {
            while (!ended.take()) {
                deframer.advance(rest);
            }
            into.add(direction.segment(from, rest.position(), true));
        }
    }

    /** Notes the end of FPDUs. */
    private static final class Ended implements UlpduSink {
        private boolean ended;

        boolean take() {
            boolean was = ended;
            ended = false;
            return was;
        }

        @Override
        public void ulpduStarted(int lengthBytes) {}

        @Override
        public void ulpduBytes(ByteBuffer bytes) {}

        @Override
        public void ulpduEnded() {
            ended = true;
        }
    }
}
