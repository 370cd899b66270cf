package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaDone;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * A whole connection with a requester that sends arbitrary messages. Other connections are not affected, memory that it
 * did not offer is not written, and in the end all resources are given back.
 *
 * <p>An input is a sequence of messages. Two bytes before each tell its length, and whether the responder may come to
 * rest first. A segment names one of four regions by its handle modulo 5, or none. Otherwise no input would ever name
 * memory that exists.
 */
class ConnectionFuzzTest {
    private static final int MAX_INPUT_BYTES = 4096;
    private static final int MAX_MESSAGES = 24;
    private static final int REGION_BYTES = 8192;
    private static final byte UNTOUCHED = 0x5a;
    private static final ResponderOptions OPTIONS = ResponderOptions.builder()
            .credits(3, 6)
            .maxPostedWork(4)
            .rfc5666(new Rfc5666Options(true, 2, 20_000, 30_000, Duration.ofSeconds(60), true))
            .build();

    private static RawRequester connect(SimulatedResponder responder) {
        ByteBuffer privateData = new PrivateData(true, 1024, 1024).encoded();
        RawRequester raw = RawRequester.connect(
                responder.simulation.connector(),
                SimulatedResponder.ADDRESS,
                new ConnectOptions(privateData, 2, 2),
                12,
                1024);
        responder.simulation.run();
        return raw;
    }

    private static ByteBuffer untouched() {
        byte[] bytes = new byte[REGION_BYTES];
        Arrays.fill(bytes, UNTOUCHED);
        return ByteBuffer.wrap(bytes);
    }

    @FuzzTest
    void anyMessages_sent_hurtNobody(byte[] input) throws Exception {
        if (input.length > MAX_INPUT_BYTES) {
            return;
        }
        SimulatedResponder responder = new SimulatedResponder(OPTIONS);
        RawRequester bystander = connect(responder);
        RawRequester raw = connect(responder);
        List<ByteBuffer> memory = new ArrayList<>();
        List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ByteBuffer bytes = untouched();
            memory.add(bytes);
            regions.add(raw.register(bytes, i < 2 ? AccessRight.REMOTE_READ : AccessRight.REMOTE_WRITE));
        }
        send(responder, raw, regions, ByteBuffer.wrap(input));
        responder.settle();
        assertThat(raw.received).hasSizeLessThanOrEqualTo(MAX_MESSAGES);
        for (ByteBuffer reply : raw.received) {
            assertThat(RpcRdmaHeader.parse(reply.duplicate(), HeaderLimits.DEFAULT)
                            .credits())
                    .isBetween(1L, 8L);
        }
        for (ByteBuffer source : memory.subList(0, 2)) {
            assertThat(source).isEqualTo(untouched());
        }
        responder.assertStillServes(bystander);
        while (!responder.program.parked.isEmpty()) {
            responder.program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
            responder.settle();
        }
        if (raw.open()) {
            assertThat(responder.count(Counter.CREDITS_IN_USE)).isZero();
            responder.assertStillServes(raw);
        }
        responder.close();
    }

    private static void send(
            SimulatedResponder responder, RawRequester raw, List<MemoryRegion> regions, ByteBuffer input) {
        for (int i = 0; i < MAX_MESSAGES && input.remaining() >= 2 && raw.open(); i++) {
            int lengthBytes = Math.min(4 * Byte.toUnsignedInt(input.get()), input.remaining() - 1);
            boolean rest = (input.get() & 1) == 0;
            ByteBuffer message = input.slice(input.position(), lengthBytes);
            input.position(input.position() + lengthBytes);
            raw.send(relocated(regions, message));
            if (rest) {
                responder.settle();
            } else {
                responder.simulation.run();
            }
        }
    }

    private static ByteBuffer relocated(List<MemoryRegion> regions, ByteBuffer message) {
        ByteBuffer rest = message.duplicate();
        try {
            RpcRdmaHeader header = RpcRdmaHeader.parse(rest, HeaderLimits.DEFAULT);
            RpcRdmaHeader moved =
                    switch (header) {
                        case RdmaMsg m -> new RdmaMsg(m.xid(), m.credits(), relocated(regions, m.lists()));
                        case RdmaNomsg m -> new RdmaNomsg(m.xid(), m.credits(), relocated(regions, m.lists()));
                        case RdmaMsgp m ->
                            new RdmaMsgp(
                                    m.xid(),
                                    m.credits(),
                                    m.alignmentBytes(),
                                    m.thresholdBytes(),
                                    relocated(regions, m.lists()));
                        case RdmaDone m -> m;
                        case RdmaErrorVers m -> m;
                        case RdmaErrorChunk m -> m;
                    };
            return SimulatedResponder.message(moved, rest);
        } catch (RpcRdmaViolation violation) {
            return message;
        }
    }

    private static ChunkLists relocated(List<MemoryRegion> regions, ChunkLists lists) {
        return new ChunkLists(
                lists.readList().stream()
                        .map(entry -> new ReadSegment(entry.position(), relocated(regions, entry.segment())))
                        .toList(),
                lists.writeList().stream()
                        .map(chunk -> relocated(regions, chunk))
                        .toList(),
                lists.replyChunk().map(chunk -> relocated(regions, chunk)));
    }

    private static WriteChunk relocated(List<MemoryRegion> regions, WriteChunk chunk) {
        return new WriteChunk(chunk.segments().stream()
                .map(segment -> relocated(regions, segment))
                .toList());
    }

    private static RdmaSegment relocated(List<MemoryRegion> regions, RdmaSegment segment) {
        int number = (int) (segment.handle() % 5);
        if (number == 4) {
            return segment;
        }
        MemoryRegion region = regions.get(number);
        return new RdmaSegment(region.stag(), segment.lengthBytes(), region.taggedOffset() + segment.offset());
    }
}
