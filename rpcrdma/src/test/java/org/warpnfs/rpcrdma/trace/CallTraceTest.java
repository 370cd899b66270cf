package org.warpnfs.rpcrdma.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;

class CallTraceTest {
    private final SimulatedResponder responder =
            new SimulatedResponder(ResponderOptions.builder().messagesInUse(1).build());

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        responder.close();
    }

    /** A WRITE by Read chunk, and a reply that fits nowhere. */
    private void twoCalls() {
        RawRequester raw = responder.connect(0);
        MemoryRegion data = raw.register(ByteBuffer.allocate(1001), AccessRight.REMOTE_READ);
        ReadSegment entry = new ReadSegment(48, new RdmaSegment(data.stag(), 1001, data.taggedOffset()));
        raw.send(message(
                new RdmaMsg(0xfedcba98L, 32, new ChunkLists(List.of(entry), List.of(), Optional.empty())),
                Rpc.call(0xfedcba98, EchoProgram.WRITE, 7, 1001, 9).xdr()));
        responder.settle();
        raw.send(inline(Rpc.call(2, EchoProgram.BULK, 9000)));
        responder.settle();
    }

    private List<RecordedEvent> record(boolean enabled) throws Exception {
        Path file = directory.resolve("calls.jfr");
        try (Recording recording = new Recording()) {
            if (enabled) {
                for (String name : new String[] {"CallReceived", "ChunksPulled", "CallDispatched", "CallReplied"}) {
                    recording.enable("warpnfs." + name);
                }
            }
            recording.start();
            twoCalls();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("warpnfs."))
                .sorted((a, b) -> a.getEndTime().compareTo(b.getEndTime()))
                .toList();
    }

    private static RecordedEvent one(List<RecordedEvent> events, String name, long xid) {
        List<RecordedEvent> found = events.stream()
                .filter(event ->
                        event.getEventType().getName().equals("warpnfs." + name) && event.getLong("xid") == xid)
                .toList();
        assertThat(found).as("%s of %x", name, xid).hasSize(1);
        return found.getFirst();
    }

    @Test
    void recorded_calls_showTheirWayByXid() throws Exception {
        List<RecordedEvent> events = record(true);
        long xid = 0xfedcba98L;
        RecordedEvent received = one(events, "CallReceived", xid);
        assertThat(received.getLong("inlineBytes")).isEqualTo(52 + 52);
        assertThat(received.getLong("readChunkBytes")).isEqualTo(1001);
        assertThat(received.getString("requester")).startsWith("rdma ").contains("127.0.0.1:");
        assertThat(one(events, "ChunksPulled", xid).getLong("bytes")).isEqualTo(1001);
        RecordedEvent dispatched = one(events, "CallDispatched", xid);
        assertThat(dispatched.getLong("program")).isEqualTo(EchoProgram.NUMBER);
        assertThat(dispatched.getLong("procedure")).isEqualTo(EchoProgram.WRITE);
        RecordedEvent replied = one(events, "CallReplied", xid);
        assertThat(replied.getString("kind")).isEqualTo("INLINE");
        assertThat(replied.getLong("inlineBytes")).isEqualTo(28 + 24 + 16);
        assertThat(replied.getInt("creditsGranted")).isEqualTo(32);
        assertThat(List.of(received, dispatched, replied))
                .isSortedAccordingTo((a, b) -> a.getEndTime().compareTo(b.getEndTime()));
        assertThat(one(events, "CallReplied", 2).getString("kind")).isEqualTo("ERROR");
        assertThat(events).as("nothing was pulled for the second").hasSize(4 + 3);
    }

    @Test
    void notAskedFor_calls_leaveNothing() throws Exception {
        assertThat(record(false)).isEmpty();
    }
}
