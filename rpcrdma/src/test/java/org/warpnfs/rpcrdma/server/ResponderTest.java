package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.Failures.failure;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Whole calls, requester to responder and back, over iWARP on a simulated link. */
class ResponderTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);
    private static final int BUDGET_BYTES = 4 << 20;

    private final PayloadPool pool = new PayloadPool(BUDGET_BYTES, 2 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final List<RpcTransport> gone = new ArrayList<>();
    private final List<Runnable> operations = new ArrayList<>();
    private RpcRdmaService service;
    private Simulation simulation;

    private RpcRdmaRequester connect(ResponderOptions options, RequesterOptions client) {
        if (service == null) {
            service = RpcRdmaService.unwatched(
                    Map.of(EchoProgram.PROGRAM, program), operations::add, pool, options, gone::add);
            simulation = new Simulation(1);
            simulation.listen(SERVER, service);
        }
        CompletableFuture<RpcRdmaRequester> connecting =
                RpcRdmaRequester.connect(simulation.connector(), SERVER, client, BackwardCalls.NONE);
        simulation.run();
        return connecting.join();
    }

    private RpcRdmaRequester connect() {
        return connect(ResponderOptions.DEFAULT, RequesterOptions.DEFAULT);
    }

    /** Runs all events until nothing is left to do. */
    private void settle() {
        simulation.run();
        while (!operations.isEmpty()) {
            List<Runnable> now = List.copyOf(operations);
            operations.clear();
            now.forEach(Runnable::run);
            simulation.run();
        }
    }

    private RequesterReply call(RpcRdmaRequester requester, RpcMessage message, ChunkOffer offer) {
        CompletableFuture<RequesterReply> reply = requester.call(message, offer);
        settle();
        assertThat(reply).as("answered").isDone();
        return reply.join();
    }

    private long count(Counter counter) {
        return service.statistics().get(counter);
    }

    @AfterEach
    void everyBufferIsBack() {
        if (simulation != null) {
            service.close();
            settle();
            assertThat(simulation.internalErrors()).isEmpty();
        }
        assertThat(pool.lentBytes()).as("payload memory lent").isZero();
        if (service != null) {
            assertThat(count(Counter.CALLS_RUNNING)).isZero();
            assertThat(count(Counter.CONNECTIONS_OPEN)).isZero();
            assertThat(count(Counter.CREDITS_GRANTED)).isZero();
        }
    }

    @Test
    void connected_null_isAnswered() {
        RpcRdmaRequester requester = connect();
        RequesterReply reply = call(requester, Rpc.call(5, EchoProgram.NULL), ChunkOffer.NONE);
        assertThat(Rpc.success(5, reply.message()).remaining()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 100, 3700, 4093, 4096, 65_537, 1 << 20})
    void connected_write_findsDataAndTail(int count) {
        RpcRdmaRequester requester = connect();
        byte[] data = EchoProgram.pattern(count, 3);
        ByteBuffer results = Rpc.success(
                6, call(requester, Rpc.write(6, data), ChunkOffer.NONE).message());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
        assertThat(count(Counter.RDMA_READ_BYTES)).isEqualTo(count > 3960 ? count : 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 1000, 4093, 65_537, 1 << 20})
    void connected_readWithWriteChunk_fillsTheChunkWithoutPad(int count) {
        RpcRdmaRequester requester = connect();
        ByteBuffer sink = ByteBuffer.allocate(count + 8);
        sink.put(count, (byte) 0x55);
        RequesterReply reply = call(requester, Rpc.call(7, EchoProgram.READ, count), ChunkOffer.write(sink));
        ByteBuffer results = Rpc.success(7, reply.message());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(0x11111111, count, 0x22222222);
        assertThat(results.hasRemaining()).isFalse();
        assertThat(reply.written()).containsExactly(ByteBuffer.wrap(EchoProgram.pattern(count, 0)));
        assertThat(sink.get(count)).as("behind the data").isEqualTo((byte) 0x55);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 3000})
    void connected_readWithoutChunk_comesInlineWithPad(int count) {
        RpcRdmaRequester requester = connect();
        ByteBuffer results = Rpc.success(
                8,
                call(requester, Rpc.call(8, EchoProgram.READ, count), ChunkOffer.NONE)
                        .message());
        assertThat(new int[] {results.getInt(), results.getInt()}).containsExactly(0x11111111, count);
        byte[] data = new byte[count];
        results.get(data);
        assertThat(data).isEqualTo(EchoProgram.pattern(count, 0));
        results.position(results.position() + (-count & 3));
        assertThat(results.getInt()).isEqualTo(0x22222222);
    }

    @ParameterizedTest
    @ValueSource(ints = {4040, 4093, 70_000})
    void connected_longReply_fillsTheReplyChunk(int count) {
        RpcRdmaRequester requester = connect();
        ByteBuffer sink = ByteBuffer.allocate(100_000);
        RequesterReply reply = call(requester, Rpc.call(9, EchoProgram.READ, count), ChunkOffer.reply(sink));
        ByteBuffer results = Rpc.success(9, reply.message());
        assertThat(new int[] {results.getInt(), results.getInt()}).containsExactly(0x11111111, count);
        byte[] data = new byte[count];
        results.get(data);
        assertThat(data).isEqualTo(EchoProgram.pattern(count, 0));
        assertThat(count(Counter.LONG_REPLIES)).isEqualTo(1);
    }

    @Test
    void connected_shortReplyWithReplyChunk_comesInline() {
        RpcRdmaRequester requester = connect();
        RequesterReply reply =
                call(requester, Rpc.call(9, EchoProgram.NULL), ChunkOffer.reply(ByteBuffer.allocate(100_000)));
        Rpc.success(9, reply.message());
        assertThat(count(Counter.LONG_REPLIES)).isZero();
    }

    @Test
    void connected_longCall_isPulledWhole() {
        RpcRdmaRequester requester = connect();
        byte[] data = EchoProgram.pattern(5000, 1);
        ByteBuffer message = Rpc.header(10, EchoProgram.COPY, 4 + data.length)
                .putInt(data.length)
                .put(data)
                .flip();
        ByteBuffer sink = ByteBuffer.allocate(8000);
        RequesterReply reply = call(requester, RpcMessage.of(message), ChunkOffer.reply(sink));
        ByteBuffer results = Rpc.success(10, reply.message());
        assertThat(results.getInt()).isEqualTo(5000);
        assertThat(results.slice()).isEqualTo(ByteBuffer.wrap(data));
        assertThat(count(Counter.LONG_CALLS)).isEqualTo(1);
    }

    @Test
    void connected_chunkTakenByByteArrayDecoder_isDecoded() {
        RpcRdmaRequester requester = connect();
        byte[] data = EchoProgram.pattern(5001, 1);
        ByteBuffer message = Rpc.header(11, EchoProgram.COPY, 4).putInt(data.length);
        Payload payload = Payload.unpooled(ByteBuffer.wrap(data));
        RpcMessage call = new RpcMessage(message.flip(), List.of(new RpcMessage.Item(message.limit(), payload)));
        RequesterReply reply = call(requester, call, ChunkOffer.write(ByteBuffer.allocate(6000)));
        assertThat(reply.written()).containsExactly(ByteBuffer.wrap(data));
        assertThat(count(Counter.LONG_CALLS)).isZero();
    }

    @Test
    void replyTooBig_nothingOffered_errChunkAndTheNextCallWorks() {
        RpcRdmaRequester requester = connect();
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(12, EchoProgram.BULK, 8000), ChunkOffer.NONE);
        settle();
        assertThat(failure(reply)).isEqualTo(Failure.ERR_CHUNK);
        assertThat(count(Counter.ERR_CHUNK_TOO_BIG_SENT)).isEqualTo(1);
        Rpc.success(
                13,
                call(requester, Rpc.call(13, EchoProgram.NULL), ChunkOffer.NONE).message());
    }

    @Test
    void replyTooBig_forItsChunks_errChunkAndNothingOverrun() {
        RpcRdmaRequester requester = connect();
        ByteBuffer sink = ByteBuffer.allocate(8000);
        CompletableFuture<RequesterReply> write =
                requester.call(Rpc.call(14, EchoProgram.READ, 8001), ChunkOffer.write(sink));
        CompletableFuture<RequesterReply> whole =
                requester.call(Rpc.call(15, EchoProgram.BULK, 8000), ChunkOffer.reply(ByteBuffer.allocate(8000)));
        settle();
        assertThat(failure(write)).isEqualTo(Failure.ERR_CHUNK);
        assertThat(failure(whole)).isEqualTo(Failure.ERR_CHUNK);
        assertThat(sink).isEqualTo(ByteBuffer.allocate(8000));
    }

    @Test
    void programFails_anyWay_systemErrAndTheCreditComesBack() {
        RpcRdmaRequester requester = connect();
        for (int i = 0; i < 200; i++) {
            int procedure = i % 2 == 0 ? EchoProgram.FAIL : EchoProgram.HALF;
            Rpc.accepted(
                    i,
                    5,
                    call(requester, Rpc.call(i, procedure), ChunkOffer.NONE).message());
        }
        assertThat(count(Counter.SYSTEM_ERRORS)).isEqualTo(200);
    }

    @Test
    void pullingChunks_disconnect_dropsTheCall() {
        RpcRdmaRequester requester = connect();
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.write(16, new byte[100_000]), ChunkOffer.NONE);
        while (count(Counter.RDMA_READS) == 0) {
            assertThat(simulation.step()).isTrue();
        }
        assertThat(pool.lentBytes()).as("the sink is out").isPositive();
        simulation.resetAll();
        settle();
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
        assertThat(pool.lentBytes()).isZero();
        assertThat(operations).isEmpty();
        assertThat(program.writes).isZero();
        assertThat(gone).containsExactly(program.transports.getFirst());
    }

    @Test
    void running_disconnect_keepsTheArgumentsUntilTheProgramIsDone() {
        RpcRdmaRequester requester = connect();
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.write(17, new byte[100_000]), ChunkOffer.NONE);
        simulation.run();
        assertThat(operations).as("the call waits for a thread").hasSize(1);
        simulation.resetAll();
        simulation.run();
        assertThat(pool.lentBytes()).as("lent to the program").isPositive();
        settle();
        assertThat(program.writes).isEqualTo(1);
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
    }

    @Test
    void budgetExhausted_callsWait_andRecover() {
        RpcRdmaRequester requester = connect();
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        Payload hog = pool.tryAcquire(2 << 20);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            replies.add(requester.call(Rpc.write(100 + i, new byte[900_000]), ChunkOffer.NONE));
        }
        simulation.run();
        assertThat(operations).as("no more than the budget holds").hasSizeLessThan(10);
        assertThat(count(Counter.MEMORY_WAITS)).isPositive();
        assertThat(pool.lentBytes()).isLessThanOrEqualTo(BUDGET_BYTES);
        hog.release();
        settle();
        for (int i = 0; i < 10; i++) {
            Rpc.success(100 + i, replies.get(i).join().message());
        }
        assertThat(program.writes).isEqualTo(10);
    }

    @Test
    void budgetExhausted_byAnotherConnection_isFoundAgain() {
        RpcRdmaRequester requester = connect();
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        Payload first = pool.tryAcquire(2 << 20);
        Payload second = pool.tryAcquire(2 << 20);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.write(2, new byte[10_000]), ChunkOffer.NONE);
        settle();
        assertThat(reply).isNotDone();
        second.release();
        settle();
        assertThat(reply).isDone();
        first.release();
    }

    @Test
    void creditsGranted_neverExceedReceives() {
        RpcRdmaRequester requester =
                connect(ResponderOptions.builder().credits(4, 8).build(), RequesterOptions.DEFAULT);
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            replies.add(requester.call(Rpc.call(1000 + i, EchoProgram.NULL), ChunkOffer.NONE));
        }
        settle();
        for (int i = 0; i < 300; i++) {
            Rpc.success(1000 + i, replies.get(i).join().message());
        }
        assertThat(count(Counter.CREDITS_GRANTED)).as("grown under load").isEqualTo(8);
        assertThat(count(Counter.CREDIT_OVERRUNS)).isZero();
    }

    @Test
    void connectionLimitReached_connect_isRefused() {
        connect(
                ResponderOptions.builder()
                        .clients(ClientLimits.DEFAULT.withConnections(1, 1))
                        .build(),
                RequesterOptions.DEFAULT);
        CompletableFuture<RpcRdmaRequester> second =
                RpcRdmaRequester.connect(simulation.connector(), SERVER, RequesterOptions.DEFAULT, call -> call);
        simulation.run();
        assertThat(second).isCompletedExceptionally();
        assertThat(count(Counter.CONNECTIONS_REFUSED)).isEqualTo(1);
    }

    @Test
    void callOutOfTwoHandles_reply_isAPlainSend() {
        RpcRdmaRequester requester = connect();
        ByteBuffer sink = ByteBuffer.allocate(5000);
        call(requester, Rpc.call(2, EchoProgram.READ, 5000), ChunkOffer.write(sink));
        assertThat(count(Counter.INVALIDATIONS_SENT)).isEqualTo(1);
        ChunkOffer two = new ChunkOffer(List.of(sink), Optional.of(ByteBuffer.allocate(10)));
        call(requester, Rpc.call(3, EchoProgram.READ, 5000), two);
        assertThat(count(Counter.INVALIDATIONS_SENT)).isEqualTo(1);
    }

    @Test
    void noInvalidationWelcome_reply_isAPlainSend() {
        RpcRdmaRequester requester =
                connect(ResponderOptions.DEFAULT, new RequesterOptions(4096, 4096, 8, 0, 8, false, 0));
        call(requester, Rpc.call(2, EchoProgram.READ, 5000), ChunkOffer.write(ByteBuffer.allocate(5000)));
        assertThat(count(Counter.INVALIDATIONS_SENT)).isZero();
    }

    @Test
    void sendQueueFull_manyReplies_waitAndLeaveInOrder() {
        RpcRdmaRequester requester =
                connect(ResponderOptions.builder().maxPostedWork(3).build(), RequesterOptions.DEFAULT);
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        List<ByteBuffer> sinks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sinks.add(ByteBuffer.allocate(6000));
            replies.add(requester.call(Rpc.call(50 + i, EchoProgram.READ, 6000), ChunkOffer.write(sinks.get(i))));
        }
        settle();
        for (int i = 0; i < 20; i++) {
            Rpc.success(50 + i, replies.get(i).join().message());
            assertThat(sinks.get(i)).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(6000, 0)));
        }
    }

    @Test
    void draining_runningCall_isAnsweredThenTheConnectionEnds() throws Exception {
        RpcRdmaRequester requester = connect();
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(4, EchoProgram.PARK), ChunkOffer.NONE);
        settle();
        assertThat(service.drain(Duration.ZERO)).as("a call still runs").isFalse();
        settle();
        assertThat(requester.open()).isTrue();
        program.parked.getFirst().reply(XdrVoid.XDR_VOID);
        settle();
        Rpc.success(4, reply.join().message());
        assertThat(requester.open()).isFalse();
        assertThat(service.drain(Duration.ZERO)).isTrue();
    }

    @Test
    void manyCompleteCalls_runAFewAtATime() {
        RpcRdmaRequester requester = connect(
                ResponderOptions.builder().maxRunning(2).maxHeldBytes(1 << 20).build(), RequesterOptions.DEFAULT);
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            ByteBuffer sink = ByteBuffer.allocate(1 << 20);
            replies.add(requester.call(Rpc.call(50 + i, EchoProgram.READ, 1 << 20), ChunkOffer.write(sink)));
        }
        simulation.run();
        while (!operations.isEmpty()) {
            assertThat(operations).hasSizeLessThanOrEqualTo(2);
            operations.removeFirst().run();
            simulation.run();
        }
        assertThat(replies).allMatch(CompletableFuture::isDone);
    }

    /** Lets the service check for stalled connections, before any other event. */
    private void look(long nowNanos) {
        service.endStalled(nowNanos);
        simulation.runFor(0);
    }

    @Test
    void peerAnswersNoRead_stallLimitPasses_connectionEnds() {
        RpcRdmaRequester requester = connect();
        call(requester, Rpc.call(1, EchoProgram.NULL), ChunkOffer.NONE);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.write(2, new byte[100_000]), ChunkOffer.NONE);
        while (count(Counter.RDMA_READS) == 0) {
            assertThat(simulation.step()).isTrue();
        }
        PeerDeadlines deadlines = ResponderOptions.DEFAULT.deadlines();
        long limitNanos = deadlines.stallLimit().toNanos()
                + 100_000 * TimeUnit.SECONDS.toNanos(1) / deadlines.leastBytesPerSecond();
        look(0);
        look(limitNanos);
        assertThat(count(Counter.CONNECTIONS_ABORTED)).isZero();
        look(limitNanos + 1);
        assertThat(count(Counter.CONNECTIONS_ABORTED)).isEqualTo(1);
        settle();
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
    }

    @Test
    void connection_manyCalls_carryOneTransport() {
        RpcRdmaRequester first = connect();
        RpcRdmaRequester second = connect();
        for (int i = 0; i < 5; i++) {
            call(first, Rpc.call(i, EchoProgram.NULL), ChunkOffer.NONE);
            call(second, Rpc.call(i, EchoProgram.NULL), ChunkOffer.NONE);
        }
        assertThat(program.transports.stream().distinct()).hasSize(2);
    }
}
