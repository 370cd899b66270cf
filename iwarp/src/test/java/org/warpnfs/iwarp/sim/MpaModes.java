package org.warpnfs.iwarp.sim;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.verbs.ConnectOptions;

/**
 * Runs two of our queue pairs against each other in every mode of MPA, and writes their traffic as a capture for other
 * tools to check. {@code deploy/interop/dissect-mpa} runs it, with only this module and the files of this package that
 * the script names.
 *
 * <pre>
 * modes.pcap   one connection after the other
 * modes.list   a line each: TCP stream, name, CRC (on or off), FPDUs, of these the last of their message, markers
 * </pre>
 */
public final class MpaModes {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(8), 4, 4);
    private static final int[] MULPDUS = {1_442, 8_942, 60_000};
    private static final int MARKER_SPACING_BYTES = 512;
    private static final int MARKER_BYTES = 4;

    /** A bit of DDP's control byte. */
    private static final int LAST_FLAG = 0x40;

    private static final int FIRST_PORT = 40_000;
    private static final int FLAGS_OFFSET = 16;
    private static final byte ALL_BUT_MARKERS = 0x7f;

    private MpaModes() {}

    /**
     * A way to connect.
     *
     * @param rtr null outside of peer-to-peer mode
     */
    record Mode(boolean crc, boolean markersToInitiator, boolean markersToResponder, int revision, RtrKind rtr) {
        String title() {
            return "rev" + revision + (rtr == null ? "" : "-" + rtr) + (crc ? "-crc" : "-nocrc")
                    + (markersToInitiator ? "-mi" : "") + (markersToResponder ? "-mr" : "");
        }
    }

    static List<Mode> all() {
        List<Mode> modes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            boolean crc = (i & 1) != 0;
            boolean toInitiator = (i & 2) != 0;
            boolean toResponder = (i & 4) != 0;
            modes.add(new Mode(crc, toInitiator, toResponder, 1, null));
            modes.add(new Mode(crc, toInitiator, toResponder, 2, null));
            for (RtrKind rtr : RtrKind.values()) {
                modes.add(new Mode(crc, toInitiator, toResponder, 2, rtr));
            }
        }
        return modes;
    }

    /** The traffic of two ends in a mode, until all their work is done. */
    static Recording record(Mode mode, int mulpduBytes) {
        MpaChoices both = MpaChoices.defaults()
                .withCrcPolicy(mode.crc() ? CrcPolicy.REQUIRED : CrcPolicy.OFF)
                .withRevision(mode.revision(), false);
        MpaChoices initiator = both.withMarkers(mode.markersToInitiator()).withPeerToPeer(mode.rtr() != null);
        if (mode.rtr() != null) {
            initiator = initiator.withRtrKinds(EnumSet.of(mode.rtr()));
        }
        QueuePairConfig config = QueuePairConfig.defaults().withMulpduBytes(mulpduBytes);
        Simulation simulation =
                new Simulation(1, config.withMpa(both.withMarkers(mode.markersToResponder())), LinkFaults.none());
        Recording recording = new Recording(ADDRESS);
        simulation.tap(recording);
        Workload near = new Workload();
        Workload far = new Workload();
        near.joins(far);
        far.joins(near);
        simulation.listen(ADDRESS, request -> request.accept(OPTIONS, far));
        simulation.connector(config.withMpa(initiator)).connect(ADDRESS, OPTIONS, near);
        simulation.run();
        if (!near.done() || !far.done() || !simulation.internalErrors().isEmpty()) {
            throw new IllegalStateException(mode.title() + " did not do its work: " + simulation.internalErrors());
        }
        return recording;
    }

    /**
     * If an FPDU ends exactly where a marker is due, tshark counts that marker to it, and not to the next FPDU as RFC
     * 5044, section 4.3 requires. It then loses the stream for a long time. Another MULPDU moves the ends of FPDUs.
     */
    private static Recording recordDissectable(Mode mode, int mulpduBytes) throws ProtocolViolation {
        Recording recording = record(mode, mulpduBytes);
        return endsAtAMarker(recording) ? recordDissectable(mode, mulpduBytes - 4) : recording;
    }

    private static boolean endsAtAMarker(Recording recording) throws ProtocolViolation {
        long[] sent = new long[2];
        for (Recording.Segment segment : recording.segments()) {
            int direction = segment.fromInitiator() ? 0 : 1;
            boolean marked = (segment.fromInitiator() ? recording.reply() : recording.request()).markers();
            sent[direction] += segment.fpdu() ? segment.bytes().remaining() : 0;
            if (marked && segment.fpdu() && sent[direction] % MARKER_SPACING_BYTES == 0) {
                return true;
            }
        }
        return false;
    }

    /** Writes both files; the argument is the directory. */
    public static void main(String[] arguments) throws IOException, ProtocolViolation {
        Path directory = Path.of(arguments[0]);
        List<String> lines = new ArrayList<>();
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(directory.resolve("modes.pcap")))) {
            PcapFile file = new PcapFile(out);
            int sessions = 0;
            for (Mode mode : all()) {
                Recording recording = recordDissectable(mode, MULPDUS[sessions++ % MULPDUS.length]);
                if (mode.markersToInitiator() == mode.markersToResponder()) {
                    lines.add(write(file, lines.size(), mode, recording, true, true));
                } else {
                    // tshark assumes that either none or both directions have markers. So it gets one direction at a
                    // time, and the direction without markers after startup frames that ask for none.
                    lines.add(write(file, lines.size(), mode, recording, true, false));
                    lines.add(write(file, lines.size(), mode, recording, false, true));
                }
            }
        }
        Files.write(directory.resolve("modes.list"), lines);
    }

    private static String write(
            PcapFile file, int stream, Mode mode, Recording recording, boolean initiators, boolean responders)
            throws IOException, ProtocolViolation {
        MpaFrame request = recording.request();
        MpaFrame reply = recording.reply();
        // If both directions are written, both have markers or none has.
        boolean marked = (initiators ? reply : request).markers();
        PcapFile.Connection connection = file.new Connection(FIRST_PORT + stream);
        int fpdus = 0;
        int last = 0;
        int markers = 0;
        long[] sent = new long[2];
        for (Recording.Segment segment : recording.segments()) {
            ByteBuffer bytes = segment.bytes();
            if (!segment.fpdu()) {
                byte[] frame = new byte[bytes.remaining()];
                bytes.get(frame);
                frame[FLAGS_OFFSET] &= marked ? (byte) 0xff : ALL_BUT_MARKERS;
                connection.segment(segment.fromInitiator(), ByteBuffer.wrap(frame));
            } else if (segment.fromInitiator() ? initiators : responders) {
                connection.segment(segment.fromInitiator(), bytes);
                fpdus++;
                int direction = segment.fromInitiator() ? 0 : 1;
                int before = Math.floorMod(-sent[direction], MARKER_SPACING_BYTES);
                int beyond = Math.max(0, bytes.remaining() - before);
                markers += marked ? Math.ceilDiv(beyond, MARKER_SPACING_BYTES) : 0;
                sent[direction] += bytes.remaining();
                int lengthAt = (marked && before == 0) ? MARKER_BYTES : 0;
                if (bytes.getShort(lengthAt) != 0 && (bytes.get(lengthAt + 2) & LAST_FLAG) != 0) {
                    last++;
                }
            }
        }
        connection.end();
        String part = "";
        if (!initiators || !responders) {
            part = initiators ? "-from-initiator" : "-from-responder";
        }
        return stream + " " + mode.title() + part + " " + (mode.crc() ? "on" : "off") + " " + fpdus + " " + last + " "
                + markers;
    }
}
