package org.warpnfs.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.server.Rfc5666Options;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;
import org.warpnfs.testkit.FpduCutter;
import org.warpnfs.testkit.PcapReader;
import org.warpnfs.testkit.PcapWriter;

/**
 * Writes a dialogue with every kind of message and chunk as a capture to target/dissect. {@code deploy/interop/dissect}
 * checks it with tshark.
 */
class DialogueCaptureTest {
    private static final Path CAPTURE = Path.of("target", "dissect", "rpcrdma-dialogue.pcap");

    private final SimulatedResponder responder = new SimulatedResponder(
            ResponderOptions.builder().rfc5666(Rfc5666Options.ALL).build());
    private final PcapWriter capture = new PcapWriter();
    private final Map<InetSocketAddress, FpduCutter> cutters = new HashMap<>();
    private RawRequester raw;

    @AfterEach
    void close() {
        responder.close();
    }

    private void carried(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes) {
        if (cutters.isEmpty()) {
            capture.open(from, to);
        }
        FpduCutter cutter = cutters.computeIfAbsent(from, end -> new FpduCutter());
        cutter.add(bytes).forEach(frame -> capture.say(from, to, frame));
    }

    private RdmaSegment segment(ByteBuffer memory, AccessRight right) {
        MemoryRegion region = raw.register(memory, right);
        return new RdmaSegment(region.stag(), region.lengthBytes(), region.taggedOffset());
    }

    private WriteChunk room(int... lengths) {
        List<RdmaSegment> segments = Arrays.stream(lengths)
                .mapToObj(bytes -> segment(ByteBuffer.allocate(bytes), AccessRight.REMOTE_WRITE))
                .toList();
        return new WriteChunk(segments);
    }

    private ReadSegment source(int position, ByteBuffer bytes) {
        return new ReadSegment(position, segment(bytes, AccessRight.REMOTE_READ));
    }

    private static ChunkLists lists(List<ReadSegment> reads, List<WriteChunk> writes, WriteChunk reply) {
        return new ChunkLists(reads, writes, Optional.ofNullable(reply));
    }

    private Object say(ByteBuffer message) throws Exception {
        int before = raw.received.size();
        raw.send(message);
        responder.settle();
        assertThat(raw.received).hasSize(before + 1);
        return header(last(raw));
    }

    @Test
    void dialogue_ofEveryKind_isWrittenForADissector() throws Exception {
        responder.simulation.tap(this::carried);
        raw = responder.connect(4);
        ByteBuffer data = ByteBuffer.wrap(EchoProgram.pattern(5001, 0));

        assertThat(say(inline(Rpc.call(0x1001, EchoProgram.NULL)))).isInstanceOf(RdmaMsg.class);
        assertThat(say(inline(RpcMessage.of(
                        Rpc.write(0x1002, EchoProgram.pattern(301, 0)).flatten()))))
                .isInstanceOf(RdmaMsg.class);
        RpcMessage write = Rpc.call(0x1003, EchoProgram.WRITE, 7, 5001, 9);
        assertThat(say(message(
                        new RdmaMsg(
                                0x1003,
                                32,
                                lists(
                                        List.of(source(48, data.slice(0, 4096)), source(48, data.slice(4096, 905))),
                                        List.of(),
                                        null)),
                        write.xdr())))
                .isInstanceOf(RdmaMsg.class);
        RpcMessage read = Rpc.call(0x1004, EchoProgram.READ, 40_001);
        assertThat(say(message(
                        new RdmaMsg(0x1004, 32, lists(List.of(), List.of(room(30_000, 10_001, 4)), null)), read.xdr())))
                .isInstanceOf(RdmaMsg.class);
        ByteBuffer longCall = Rpc.header(0x1005, EchoProgram.COPY, 5008)
                .putInt(5001)
                .put(data.duplicate())
                .put(new byte[3])
                .flip();
        assertThat(say(new RdmaNomsg(0x1005, 32, lists(List.of(source(0, longCall)), List.of(), room(3000, 9000)))
                        .encoded()))
                .isInstanceOf(RdmaNomsg.class);
        // The call has one handle in all, so its reply invalidates it.
        assertThat(say(message(
                        new RdmaMsg(0x100b, 32, lists(List.of(), List.of(room(2000)), null)),
                        Rpc.call(0x100b, EchoProgram.READ, 1999).xdr())))
                .isInstanceOf(RdmaMsg.class);
        assertThat(raw.invalidated).hasSize(1);
        assertThat(say(inline(Rpc.call(0x1006, 99)))).isInstanceOf(RdmaMsg.class);
        assertThat(say(message(
                        new RdmaMsg(0x1007, 32, lists(List.of(), List.of(room(100)), null)),
                        Rpc.call(0x1007, EchoProgram.READ, 101).xdr())))
                .isInstanceOf(RdmaErrorChunk.class);
        assertThat(say(ByteBuffer.allocate(16)
                        .putInt(0x1008)
                        .putInt(7)
                        .putInt(32)
                        .putInt(0)
                        .flip()))
                .isInstanceOf(RdmaErrorVers.class);
        assertThat(say(message(
                        new RdmaMsgp(0x1009, 32, 4, 64, ChunkLists.NONE),
                        Rpc.write(0x1009, EchoProgram.pattern(100, 0)).flatten())))
                .isInstanceOf(RdmaMsg.class);
        RdmaMsg exposed = (RdmaMsg) say(inline(Rpc.call(0x100a, EchoProgram.READ, 9001)));
        raw.read(exposed.lists().readList().getFirst().segment());
        responder.settle();
        raw.send(new RdmaDone(0x100a, 32).encoded());
        responder.settle();
        responder.assertStillServes(raw);

        capture.write(CAPTURE);
        assertThat(PcapReader.read(Files.readAllBytes(CAPTURE)))
                .as("packets that our own reader takes")
                .hasSizeGreaterThan(30);
    }
}
