package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaErrorVers;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.rpcrdma.wire.WriteChunk;
import org.warpnfs.testkit.CapturedSends;
import org.warpnfs.testkit.Seeds;

/** A requester that sends arbitrary bytes. */
class HostilePeerTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);

    private final PayloadPool pool = new PayloadPool(8 << 20, 2 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final Simulation simulation = new Simulation(7);
    private final List<Runnable> operations = new ArrayList<>();
    private RpcRdmaService service;

    private RawRequester connect(ResponderOptions options, Map<OncRpcProgram, RpcDispatchable> programs) {
        if (service == null) {
            service = RpcRdmaService.unwatched(programs, operations::add, pool, options, transport -> {});
            simulation.listen(SERVER, service);
        }
        RawRequester raw = RawRequester.connect(simulation.connector(), SERVER);
        simulation.run();
        return raw;
    }

    private RawRequester connect() {
        return connect(ResponderOptions.DEFAULT, Map.of(EchoProgram.PROGRAM, program));
    }

    private void settle() {
        simulation.run();
        while (!operations.isEmpty()) {
            List<Runnable> now = List.copyOf(operations);
            operations.clear();
            now.forEach(Runnable::run);
            simulation.run();
        }
    }

    private static RpcRdmaHeader last(RawRequester raw) throws RpcRdmaViolation {
        return RpcRdmaHeader.parse(raw.received.getLast().duplicate(), HeaderLimits.DEFAULT);
    }

    private void assertStillServes(RawRequester raw) throws RpcRdmaViolation {
        int before = raw.received.size();
        raw.send(inline(Rpc.call(0x7777, EchoProgram.NULL)));
        settle();
        assertThat(raw.received).hasSize(before + 1);
        assertThat(last(raw)).isInstanceOf(RdmaMsg.class);
        assertThat(last(raw).credits()).isPositive();
    }

    @AfterEach
    void nothingIsLeft() {
        service.close();
        settle();
        assertThat(simulation.internalErrors()).isEmpty();
        assertThat(pool.lentBytes()).isZero();
        assertThat(service.statistics().get(Counter.CONNECTIONS_OPEN)).isZero();
        assertThat(service.statistics().get(Counter.CALLS_RUNNING)).isZero();
    }

    @Test
    void otherVersion_sent_errVersEchoesXidAndVersion() throws Exception {
        RawRequester raw = connect();
        raw.send(ByteBuffer.wrap(HexFormat.of().parseHex("0000abcd000000020000008000000000")));
        settle();
        assertThat(last(raw)).isInstanceOfSatisfying(RdmaErrorVers.class, error -> {
            assertThat(error.xid()).isEqualTo(0xabcd);
            assertThat(error.version()).isEqualTo(2);
            assertThat(error.credits()).isPositive();
            assertThat(error.lowestVersion()).isEqualTo(1);
            assertThat(error.highestVersion()).isEqualTo(1);
        });
        assertStillServes(raw);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // a Position-Zero chunk in RDMA_MSG
                "00000000 00000001 00000000 00000001 00000004 0000000000000000 00000000 00000000 00000000",
                // a chunk beyond the message
                "00000000 00000001 00001000 00000001 00000004 0000000000000000 00000000 00000000 00000000",
                // RDMA_NOMSG without a Position-Zero chunk
                "00000001 00000000 00000000 00000000",
                // RDMA_MSGP without a message, of no alignment, with a Position-Zero chunk, and with one beyond the
                // message
                "00000002 00000010 00000010 00000000 00000000 00000000",
                "00000002 00000000 00000010 00000000 00000000 00000000 0000abcd 00000000",
                "00000002 00000011 00000010 00000000 00000000 00000000 0000abcd 00000000",
                "00000002 80000000 00000010 00000000 00000000 00000000 0000abcd 00000000",
                "00000002 00000010 00000010 00000001 00000000 00000001 00000004 0000000000000000 00000000 00000000"
                        + " 00000000 0000abcd 00000000",
                "00000002 00000010 00000010 00000001 0000000c 00000001 00000004 0000000000000000 00000000 00000000"
                        + " 00000000 0000abcd 00000000",
                // RDMA_MSG without a message, and with one of another XID
                "00000000 00000000 00000000 00000000",
                "00000000 00000000 00000000 00000000 0000abce 00000000",
                // a procedure that does not exist
                "00000009",
                // truncated
                "00000000 00000001 00000000",
            })
    void senselessChunks_sent_errChunk(String afterFixed) throws Exception {
        RawRequester raw = connect();
        for (int i = 0; i < 200; i++) {
            raw.send(
                    ByteBuffer.wrap(HexFormat.of().parseHex("0000abcd0000000100000080" + afterFixed.replace(" ", ""))));
            settle();
            assertThat(last(raw)).isInstanceOf(RdmaErrorChunk.class);
            assertThat(last(raw).xid()).isEqualTo(0xabcd);
        }
        assertStillServes(raw);
    }

    @Test
    void shortOrAnswerlessMessages_sent_areIgnoredAndCostNothing() throws Exception {
        RawRequester raw = connect();
        for (int i = 0; i < 200; i++) {
            for (String bytes : new String[] {
                "", "0000abcd", "0000abcd000000010000008000000003", "0000abcd00000001000000800000000400000002"
            }) {
                raw.send(ByteBuffer.wrap(HexFormat.of().parseHex(bytes)));
            }
            settle();
        }
        assertThat(raw.received).isEmpty();
        assertStillServes(raw);
    }

    @Test
    void moreCallsThanCredits_sent_endsTheConnection() {
        RawRequester raw =
                connect(ResponderOptions.builder().credits(4, 4).build(), Map.of(EchoProgram.PROGRAM, program));
        for (int i = 0; i < 5; i++) {
            raw.send(inline(Rpc.call(i, EchoProgram.NULL)));
        }
        simulation.run();
        assertThat(raw.open()).isFalse();
        assertThat(service.statistics().get(Counter.CREDIT_OVERRUNS)).isEqualTo(1);
        settle();
    }

    @Test
    void foreignMemoryInReadList_sent_endsThisConnectionAlone() throws Exception {
        RawRequester bystander = connect();
        RawRequester raw = connect();
        ReadSegment bogus = new ReadSegment(48, new RdmaSegment(0xdeadbeefL, 100_000, 0));
        RpcMessage call = Rpc.call(1, EchoProgram.WRITE, 1, 100_000, 2);
        raw.send(message(new RdmaMsg(1, 32, new ChunkLists(List.of(bogus), List.of(), Optional.empty())), call.xdr()));
        settle();
        assertThat(raw.open()).isFalse();
        assertThat(program.writes).isZero();
        assertStillServes(bystander);
    }

    @Test
    void countAndChunkDisagree_sent_garbageArgs() throws Exception {
        RawRequester raw = connect();
        for (int count : new int[] {4092, 4091, 4097, -1, Integer.MAX_VALUE}) {
            // A new region for each message, because the reply invalidates it.
            MemoryRegion region = raw.register(ByteBuffer.allocate(4096), AccessRight.REMOTE_READ);
            ReadSegment read = new ReadSegment(48, new RdmaSegment(region.stag(), 4096, region.taggedOffset()));
            RpcMessage call = Rpc.call(count, EchoProgram.WRITE, 1, count, 2);
            raw.send(message(
                    new RdmaMsg(
                            Integer.toUnsignedLong(count),
                            32,
                            new ChunkLists(List.of(read), List.of(), Optional.empty())),
                    call.xdr()));
            settle();
            ByteBuffer reply = raw.received.getLast().duplicate();
            RpcRdmaHeader.parse(reply, HeaderLimits.DEFAULT);
            Rpc.accepted(count, 4, reply.slice());
        }
        assertThat(program.writes).isZero();
    }

    /** A chunk that is empty, begins within an item, or ends within one. No count could match its length. */
    @ParameterizedTest
    @CsvSource({"48, 0", "52, 8", "44, 8"})
    void chunkThatIsNoItem_sent_garbageArgs(long position, long lengthBytes) throws Exception {
        RawRequester raw = connect();
        MemoryRegion region = raw.register(ByteBuffer.allocate(16).putInt(0, 16), AccessRight.REMOTE_READ);
        ReadSegment read =
                new ReadSegment(position, new RdmaSegment(region.stag(), lengthBytes, region.taggedOffset()));
        RpcMessage call = Rpc.call(1, EchoProgram.WRITE, 7, 16, 5, 5, 5, 5, 9);
        raw.send(message(new RdmaMsg(1, 32, new ChunkLists(List.of(read), List.of(), Optional.empty())), call.xdr()));
        settle();
        ByteBuffer reply = raw.received.getLast().duplicate();
        RpcRdmaHeader.parse(reply, HeaderLimits.DEFAULT);
        Rpc.accepted(1, 4, reply.slice());
        assertThat(program.writes).isZero();
    }

    @Test
    void manySegmentsAndOrdOfOne_sent_oneReadAtATime() throws Exception {
        service = RpcRdmaService.unwatched(
                Map.of(EchoProgram.PROGRAM, program), operations::add, pool, ResponderOptions.DEFAULT, t -> {});
        simulation.listen(SERVER, service);
        RawRequester raw = RawRequester.connect(simulation.connector(), SERVER, ByteBuffer.allocate(0), 1, 1024);
        simulation.run();
        byte[] data = EchoProgram.pattern(1000, 0);
        MemoryRegion region = raw.register(ByteBuffer.wrap(data), AccessRight.REMOTE_READ);
        List<ReadSegment> readList = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RdmaSegment segment = new RdmaSegment(region.stag(), 100, region.taggedOffset() + i * 100L);
            readList.add(new ReadSegment(48, segment));
        }
        ChunkLists lists = new ChunkLists(readList, List.of(), Optional.empty());
        raw.send(message(
                new RdmaMsg(3, 32, lists),
                Rpc.call(3, EchoProgram.WRITE, 7, 1000, 9).xdr()));
        settle();
        assertThat(raw.received)
                .as("with more than one Read the peer would have ended the stream")
                .hasSize(1);
        assertThat(program.writes).isEqualTo(1);
    }

    @Test
    void noPrivateData_inlineLimit_is1024() throws Exception {
        service = RpcRdmaService.unwatched(
                Map.of(EchoProgram.PROGRAM, program), operations::add, pool, ResponderOptions.DEFAULT, t -> {});
        simulation.listen(SERVER, service);
        RawRequester raw = RawRequester.connect(simulation.connector(), SERVER, ByteBuffer.allocate(0), 16, 1024);
        simulation.run();
        raw.send(inline(Rpc.call(1, EchoProgram.BULK, 1024 - 28 - 24 - 4)));
        settle();
        assertThat(last(raw)).isInstanceOf(RdmaMsg.class);
        raw.send(inline(Rpc.call(2, EchoProgram.BULK, 1024 - 28 - 24)));
        settle();
        assertThat(last(raw)).isInstanceOf(RdmaErrorChunk.class);
    }

    /** Every call of a Linux client in the captures, with STags of this connection instead of the captured ones. */
    @ParameterizedTest
    @ValueSource(strings = {"knfsd-v3", "knfsd-v4.1", "knfsd-v4.2", "sizes-v3", "sizes-v4.1", "recall-v4.1"})
    void capturedCalls_sent_areAnsweredInTheirChunks(String capture) throws Exception {
        List<Integer> lengths = new ArrayList<>();
        RpcDispatchable any = call -> {
            int left = 0;
            while (call.getXdr().hasMoreData()) {
                call.getXdr().xdrDecodeInt();
                left += 4;
            }
            lengths.add(left);
            call.reply((EchoProgram.Encoded) xdr -> xdr.xdrEncodeDynamicOpaque(new byte[300]));
        };
        RawRequester raw = connect(
                ResponderOptions.DEFAULT,
                Map.of(
                        new OncRpcProgram(100_003, 3), any,
                        new OncRpcProgram(100_003, 4), any,
                        new OncRpcProgram(100_227, 3), any));
        int calls = 0;
        for (CapturedSends.Connection connection : CapturedSends.load(capture)) {
            for (ByteBuffer captured : connection.calls().sends()) {
                ByteBuffer rpc = captured.duplicate();
                RpcRdmaHeader header = RpcRdmaHeader.parse(rpc, HeaderLimits.DEFAULT);
                if (!(header instanceof RdmaMsg msg) || rpc.getInt(rpc.position() + 4) != 0) {
                    continue;
                }
                ChunkLists lists = relocated(raw, msg.lists());
                raw.send(message(new RdmaMsg(msg.xid(), msg.credits(), lists), rpc.slice()));
                settle();
                calls++;
                assertThat(raw.received).as("answers to call %s", header).hasSize(calls);
                checkAnswer(raw, msg, lists, isReadOfNfs3(rpc));
            }
        }
        assertThat(lengths).hasSize(calls).hasSizeGreaterThan(10);
    }

    /**
     * The result of READ goes to the Write chunk (RFC 8267, section 2.1). Those of the other procedures here do not.
     */
    private static boolean isReadOfNfs3(ByteBuffer rpc) {
        int at = rpc.position();
        return rpc.getInt(at + 12) == 100_003 && rpc.getInt(at + 16) == 3 && rpc.getInt(at + 20) == 6;
    }

    private static void checkAnswer(RawRequester raw, RdmaMsg call, ChunkLists offered, boolean toChunk)
            throws RpcRdmaViolation {
        ByteBuffer reply = raw.received.getLast().duplicate();
        RdmaMsg header = (RdmaMsg) RpcRdmaHeader.parse(reply, HeaderLimits.DEFAULT);
        assertThat(header.xid()).isEqualTo(call.xid());
        assertThat(header.credits()).isBetween(1L, 128L);
        assertThat(header.lists().readList()).isEmpty();
        assertThat(header.lists().writeList()).hasSameSizeAs(offered.writeList());
        header.lists().writeList().forEach(chunk -> assertThat(chunk.lengthBytes())
                .isEqualTo(toChunk ? 300 : 0));
        ByteBuffer results = Rpc.success((int) call.xid(), reply.slice());
        assertThat(results.getInt()).isEqualTo(300);
    }

    private static ChunkLists relocated(RawRequester raw, ChunkLists lists) {
        List<ReadSegment> readList = new ArrayList<>();
        for (ReadSegment entry : lists.readList()) {
            readList.add(new ReadSegment(entry.position(), relocated(raw, entry.segment(), AccessRight.REMOTE_READ)));
        }
        return new ChunkLists(
                readList,
                lists.writeList().stream().map(chunk -> relocated(raw, chunk)).toList(),
                lists.replyChunk().map(chunk -> relocated(raw, chunk)));
    }

    private static WriteChunk relocated(RawRequester raw, WriteChunk chunk) {
        return new WriteChunk(chunk.segments().stream()
                .map(segment -> relocated(raw, segment, AccessRight.REMOTE_WRITE))
                .toList());
    }

    private static RdmaSegment relocated(RawRequester raw, RdmaSegment segment, AccessRight right) {
        MemoryRegion region = raw.register(ByteBuffer.allocate((int) segment.lengthBytes()), right);
        return new RdmaSegment(region.stag(), segment.lengthBytes(), region.taggedOffset());
    }

    @Test
    void longCallWithOneChunkMore_sent_isSpliced() throws Exception {
        RawRequester raw = connect();
        byte[] data = EchoProgram.pattern(1001, 0);
        ByteBuffer body = Rpc.call(5, EchoProgram.WRITE, 7, 1001, 9).xdr();
        MemoryRegion bodyRegion = raw.register(body, AccessRight.REMOTE_READ);
        MemoryRegion dataRegion = raw.register(ByteBuffer.wrap(data), AccessRight.REMOTE_READ);
        List<ReadSegment> readList = List.of(
                new ReadSegment(48, new RdmaSegment(dataRegion.stag(), 1001, dataRegion.taggedOffset())),
                new ReadSegment(
                        0, new RdmaSegment(bodyRegion.stag(), bodyRegion.lengthBytes(), bodyRegion.taggedOffset())));
        raw.send(new RdmaNomsg(5, 32, new ChunkLists(readList, List.of(), Optional.empty())).encoded());
        settle();
        ByteBuffer reply = raw.received.getLast().duplicate();
        RpcRdmaHeader.parse(reply, HeaderLimits.DEFAULT);
        ByteBuffer results = Rpc.success(5, reply.slice());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, 1001, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
    }

    /**
     * Captured and hand-made messages with random bytes changed. Each is answered, is ignored, or ends the connection.
     */
    @Test
    void changedMessages_sent_neverHurtTheServer() {
        List<ByteBuffer> originals = new ArrayList<>();
        originals.add(inline(Rpc.call(1, EchoProgram.READ, 100)));
        originals.add(
                inline(RpcMessage.of(Rpc.write(2, EchoProgram.pattern(50, 0)).flatten())));
        for (CapturedSends.Connection connection : CapturedSends.load("knfsd-v4.1")) {
            originals.addAll(connection.calls().sends().subList(0, 40));
        }
        connect();
        Seeds.each(300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            RawRequester raw = connect();
            for (int i = 0; i < 10 && raw.open(); i++) {
                ByteBuffer original = originals.get(random.nextInt(originals.size()));
                byte[] bytes = new byte[original.remaining()];
                original.duplicate().get(bytes);
                int changes = random.nextInt(1, 6);
                for (int c = 0; c < changes; c++) {
                    int at = random.nextInt(Math.min(bytes.length, 120));
                    bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(3));
                }
                raw.send(ByteBuffer.wrap(
                        bytes, 0, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length));
                settle();
            }
            simulation.resetAll();
            settle();
            program.parked.forEach(call -> call.reply(XdrVoid.XDR_VOID));
            program.parked.clear();
            settle();
            assertThat(pool.lentBytes()).isZero();
            assertThat(service.statistics().get(Counter.CONNECTIONS_OPEN)).isZero();
        });
    }
}
