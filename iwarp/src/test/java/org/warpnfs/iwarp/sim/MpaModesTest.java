package org.warpnfs.iwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.testkit.CapturedConnection;
import org.warpnfs.testkit.PcapReader;
import org.warpnfs.testkit.TcpReassembler;

/** The captures that deploy/interop/dissect-mpa passes to tshark contain exactly the traffic of the simulation. */
class MpaModesTest {
    @Test
    void record_everyMode_cutsTheStreamsIntoAllMessages() throws Exception {
        for (MpaModes.Mode mode : MpaModes.all()) {
            Recording recording = MpaModes.record(mode, 1442);
            assertThat(recording.request().revision()).as(mode.title()).isEqualTo(mode.revision());
            assertThat(recording.request().markers()).isEqualTo(mode.markersToInitiator());
            assertThat(recording.reply().markers()).isEqualTo(mode.markersToResponder());
            assertThat(recording.reply().crc()).isEqualTo(mode.crc());
            int last = 0;
            for (Recording.Segment segment : recording.segments()) {
                boolean marked = segment.fromInitiator() ? mode.markersToResponder() : mode.markersToInitiator();
                if (segment.fpdu() && !marked && isLast(segment.bytes())) {
                    last++;
                }
            }
            int unmarked = (mode.markersToInitiator() ? 0 : 1) + (mode.markersToResponder() ? 0 : 1);
            assertThat(last).isGreaterThanOrEqualTo(unmarked * Workload.MESSAGES);
        }
    }

    private static boolean isLast(ByteBuffer fpdu) {
        return fpdu.getShort(0) != 0 && (fpdu.get(2) & 0x40) != 0;
    }

    @Test
    void main_writesACapture_withAConnectionForEachLine(@TempDir Path directory) throws Exception {
        MpaModes.main(new String[] {directory.toString()});
        List<String> lines = Files.readAllLines(directory.resolve("modes.list"));
        // Half of the modes have markers in one direction only. They take two connections each.
        assertThat(lines).hasSize(MpaModes.all().size() * 3 / 2);
        List<CapturedConnection> connections =
                TcpReassembler.connections(PcapReader.read(Files.readAllBytes(directory.resolve("modes.pcap"))));
        assertThat(connections).hasSize(lines.size());
        for (CapturedConnection connection : connections) {
            assertThat(connection.fromInitiator().remaining()).isGreaterThan(MpaFrame.HEADER_BYTES);
            assertThat(connection.fromResponder().remaining()).isGreaterThan(MpaFrame.HEADER_BYTES);
        }
    }
}
