package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneProgram;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.testkit.Seeds;

/** The answers that RFC 5531 requires to calls of every kind. */
class OncRpcDispatcherTest {
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int AUTH_BADCRED = 1;
    private static final int AUTH_BADVERF = 3;

    private final TransportStatistics statistics = new TransportStatistics();
    private final PayloadPool pool = new PayloadPool(1 << 20, 1 << 20);
    private final List<RpcTransport> gone = new ArrayList<>();
    private final List<RpcCall> calls = new ArrayList<>();
    private final RpcDispatchable recorder = call -> {
        calls.add(call);
        call.reply(XdrVoid.XDR_VOID);
    };
    private final OncRpcDispatcher dispatcher = new OncRpcDispatcher(
            Map.of(
                    EchoProgram.PROGRAM,
                    new EchoProgram(pool),
                    new OncRpcProgram(77, 2),
                    recorder,
                    new OncRpcProgram(77, 5),
                    recorder),
            Runnable::run,
            statistics,
            gone::add);
    private final Connection connection = new Connection();

    private static final class Connection implements RpcConnection {
        private String aborted;

        @Override
        public InetSocketAddress localAddress() {
            return InetSocketAddress.createUnresolved("server", 1);
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return InetSocketAddress.createUnresolved("client", 2);
        }

        @Override
        public boolean open() {
            return true;
        }

        @Override
        public void abort(String reason) {
            aborted = reason;
        }

        @Override
        public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
            throw new AssertionError();
        }
    }

    private static final class Call implements InboundCall {
        private final XdrStream stream;
        private RpcMessage reply;
        private boolean dropped;

        Call(ByteBuffer message) {
            stream = XdrStream.of(message);
        }

        @Override
        public XdrStream arguments() {
            return stream;
        }

        @Override
        public void reply(RpcMessage message) {
            assertThat(reply).isNull();
            assertThat(dropped).isFalse();
            reply = message;
        }

        @Override
        public void drop() {
            assertThat(reply).isNull();
            dropped = true;
        }
    }

    /** The words of a call header up to the credential. */
    private static ByteBuffer header(int... words) {
        ByteBuffer message = ByteBuffer.allocate(2000);
        for (int word : words) {
            message.putInt(word);
        }
        return message;
    }

    private static ByteBuffer toProgram77(int version) {
        return header(9, 0, 2, 77, version, 0);
    }

    private Call dispatch(ByteBuffer message) {
        Call call = new Call(message.flip());
        dispatcher.opened(connection).call(call);
        return call;
    }

    private int[] replyWords(ByteBuffer message) {
        Call call = dispatch(message);
        assertThat(call.reply).as("answered").isNotNull();
        ByteBuffer reply = call.reply.flatten();
        int[] words = new int[reply.remaining() / 4];
        reply.asIntBuffer().get(words);
        return words;
    }

    private static ByteBuffer unix(ByteBuffer message, int bodyBytes, int nameBytes, int gids) {
        message.putInt(AUTH_SYS).putInt(bodyBytes).putInt(0x5741).putInt(nameBytes);
        message.position(message.position() + (Math.clamp(nameBytes, 0, 256) + 3 & ~3));
        message.putInt(1000).putInt(-2).putInt(gids);
        for (int i = 0; i < Math.min(gids, 20); i++) {
            message.putInt(i);
        }
        return message.putLong(0);
    }

    @Test
    void authSys_withinLimits_reachesTheProgram() {
        replyWords(unix(toProgram77(2), 20 + 256 + 64, 255, 16));
        RpcAuthTypeUnix credential = (RpcAuthTypeUnix) calls.getFirst().getCredential();
        assertThat(credential.uid()).isEqualTo(1000);
        assertThat(credential.gid()).isEqualTo(-2);
        assertThat(credential.gids()).hasSize(16).startsWith(0, 1, 2);
        assertThat(calls.getFirst().getTransport().getRemoteSocketAddress()).isEqualTo(connection.remoteAddress());
    }

    /** A program whose calls need not wait. */
    private interface Quick extends RpcDispatchable, LaneProgram {
        @Override
        default Lane laneOf(int procedure, ByteBuffer arguments, Lane earliest) {
            return earliest;
        }
    }

    private @Nullable Thread threadOf(Lane earliest) throws InterruptedException {
        AtomicReference<Thread> ran = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        Quick quick = call -> {
            ran.set(Thread.currentThread());
            call.reply(XdrVoid.XDR_VOID);
            ended.countDown();
        };
        try (OperationThreads threads = new OperationThreads(1, earliest)) {
            OncRpcDispatcher lanes =
                    new OncRpcDispatcher(Map.of(new OncRpcProgram(77, 2), quick), threads, statistics, gone::add);
            lanes.opened(connection)
                    .call(new Call(toProgram77(2).putLong(0).putLong(0).flip()));
            assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        }
        return ran.get();
    }

    @Test
    void call_thatNeedNotWait_runsOnItsEventLoopUnlessThatIsForbidden() throws Exception {
        assertThat(threadOf(Lane.EVENT_LOOP)).isEqualTo(Thread.currentThread());
        assertThat(threadOf(Lane.SHORT)).isNotNull().isNotEqualTo(Thread.currentThread());
    }

    @Test
    void call_thatMayNotBeAnsweredAnyMore_isDroppedAfterItsEffect() {
        AtomicBoolean mayAnswer = new AtomicBoolean(true);
        Quick takenOverMeanwhile = call -> {
            mayAnswer.set(false);
            recorder.dispatchOncRpcCall(call);
        };
        Call call = new Call(toProgram77(2).putLong(0).putLong(0).flip());
        try (OperationThreads threads = new OperationThreads(1)) {
            threads.answerWhile(mayAnswer::get);
            new OncRpcDispatcher(Map.of(new OncRpcProgram(77, 2), takenOverMeanwhile), threads, statistics, gone::add)
                    .opened(connection)
                    .call(call);
        }
        assertThat(calls).as("calls that had their effect").hasSize(1);
        assertThat(call.reply).isNull();
        assertThat(call.dropped).isTrue();
        assertThat(statistics.get(Counter.SYSTEM_ERRORS)).isZero();
    }

    @Test
    void replyVerifier_always_isEmptyAuthNone() {
        assertThat(replyWords(unix(toProgram77(2), 20, 0, 0))).containsExactly(9, 1, 0, 0, 0, 0);
    }

    @Test
    void rpcVersion3_called_isDeniedWithVersion2() {
        assertThat(replyWords(header(9, 0, 3, 77, 2, 0, 0, 0, 0, 0))).containsExactly(9, 1, 1, 0, 2, 2);
    }

    @Test
    void unknownProgram_called_isUnavailable() {
        assertThat(replyWords(header(9, 0, 2, 78, 2, 0, 0, 0, 0, 0))).containsExactly(9, 1, 0, 0, 0, 1);
    }

    @Test
    void unknownVersion_called_isMismatchWithTheRange() {
        assertThat(replyWords(header(9, 0, 2, 77, 3, 0, 0, 0, 0, 0))).containsExactly(9, 1, 0, 0, 0, 2, 2, 5);
    }

    @Test
    void unknownProcedure_called_isUnavailable() {
        assertThat(replyWords(header(9, 0, 2, EchoProgram.NUMBER, 3, 99, 0, 0, 0, 0)))
                .containsExactly(9, 1, 0, 0, 0, 3);
    }

    @Test
    void argumentsCutShort_called_isGarbage() {
        assertThat(replyWords(header(9, 0, 2, EchoProgram.NUMBER, 3, EchoProgram.WRITE, 0, 0, 0, 0, 1)))
                .containsExactly(9, 1, 0, 0, 0, 4);
    }

    @Test
    void opaqueOfTwoGigabytes_claimed_isGarbage() {
        for (int claimed : new int[] {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 5, 1 << 28}) {
            assertThat(replyWords(header(9, 0, 2, EchoProgram.NUMBER, 3, EchoProgram.COPY, 0, 0, 0, 0, claimed, 0)))
                    .containsExactly(9, 1, 0, 0, 0, 4);
        }
    }

    @Test
    void programThrows_called_isSystemErr() {
        assertThat(replyWords(header(9, 0, 2, EchoProgram.NUMBER, 3, EchoProgram.FAIL, 0, 0, 0, 0)))
                .containsExactly(9, 1, 0, 0, 0, 5);
        assertThat(statistics.get(Counter.SYSTEM_ERRORS)).isEqualTo(1);
    }

    @Test
    void programReturns_whileAnotherThreadEncodesItsReply_theReplyGoesOut() throws Exception {
        CountDownLatch encoding = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        OncRpcDispatcher late = new OncRpcDispatcher(
                Map.of(new OncRpcProgram(77, 2), call -> {
                    threads.add(Thread.ofPlatform().start(() -> call.reply(new SlowResult(encoding, returned))));
                    await(encoding);
                }),
                Runnable::run,
                statistics,
                gone::add);
        Call call =
                new Call(header(9, 0, 2, 77, 2, 0, AUTH_NONE, 0, AUTH_NONE, 0).flip());
        late.opened(connection).call(call);
        assertThat(call.reply).as("not yet").isNull();
        returned.countDown();
        threads.getFirst().join();
        ByteBuffer reply = call.reply.flatten();
        assertThat(reply.remaining()).isEqualTo(28);
        Rpc.accepted(9, 0, reply);
        assertThat(statistics.get(Counter.SYSTEM_ERRORS)).isZero();
    }

    /** A result whose encoder blocks until the test releases it. */
    private record SlowResult(CountDownLatch begun, CountDownLatch mayEnd) implements XdrAble {
        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            begun.countDown();
            await(mayEnd);
            xdr.xdrEncodeInt(5);
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new AssertionError();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void credential_brokenAnyWay_isBadCred() {
        List<ByteBuffer> messages = List.of(
                unix(toProgram77(2), 21, 0, 0),
                unix(toProgram77(2), 16, 0, 0),
                unix(toProgram77(2), 401, 0, 0),
                unix(toProgram77(2), -1, 0, 0),
                unix(toProgram77(2), 20 + 256, 256, 0),
                unix(toProgram77(2), 400, -1, 0),
                unix(toProgram77(2), 400, Integer.MAX_VALUE, 0),
                unix(toProgram77(2), 20 + 68, 0, 17),
                unix(toProgram77(2), 20, 0, -1),
                unix(toProgram77(2), 20, 0, 1 << 30),
                header(9, 0, 2, 77, 2, 0, AUTH_NONE, 4, 0, 0, 0),
                header(9, 0, 2, 77, 2, 0, 6, 0, 0, 0),
                header(9, 0, 2, 77, 2, 0, 7, 0, 0, 0),
                header(9, 0, 2, 77, 2, 0, -1, 0, 0, 0));
        for (ByteBuffer message : messages) {
            assertThat(replyWords(message)).containsExactly(9, 1, 1, 1, AUTH_BADCRED);
        }
        assertThat(calls).isEmpty();
        assertThat(statistics.get(Counter.AUTH_DENIED)).isEqualTo(messages.size());
    }

    @Test
    void verifier_notEmpty_isBadVerf() {
        assertThat(replyWords(header(9, 0, 2, 77, 2, 0, 0, 0, 0, 4, 0))).containsExactly(9, 1, 1, 1, AUTH_BADVERF);
        assertThat(replyWords(header(9, 0, 2, 77, 2, 0, 0, 0, 1, 0))).containsExactly(9, 1, 1, 1, AUTH_BADVERF);
    }

    @Test
    void message_cutAnywhere_isAnsweredOrDropped() {
        ByteBuffer whole = unix(toProgram77(2), 20 + 8 + 8, 5, 2).flip();
        for (int length = 0; length < whole.limit(); length++) {
            Call call = dispatch(ByteBuffer.allocate(whole.limit()).put(whole.slice(0, length)));
            assertThat(call.dropped).as("cut at %d", length).isEqualTo(length < 8);
            if (length >= 8) {
                Rpc.accepted(9, 4, call.reply.flatten());
            }
        }
        assertThat(calls).isEmpty();
    }

    @Test
    void replyOrOtherDirection_dispatched_isDropped() {
        for (int direction : new int[] {1, 2, -1}) {
            assertThat(dispatch(header(9, direction, 2, 77, 2, 0, 0, 0, 0, 0)).dropped)
                    .isTrue();
        }
    }

    @Test
    void randomMessages_dispatched_alwaysEnd() {
        Seeds.each(3_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            ByteBuffer message = random.nextBoolean()
                    ? unix(toProgram77(2), 20 + 8 + 8, 5, 2)
                    : header(9, 0, 2, EchoProgram.NUMBER, 3, random.nextInt(8), 0, 0, 0, 0, 100, 7, 8);
            int changes = random.nextInt(5);
            for (int i = 0; i < changes; i++) {
                message.put(8 + random.nextInt(80), (byte) random.nextInt());
            }
            Call call = dispatch(message);
            if (call.reply != null) {
                call.reply.release();
            }
        });
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void noThreadTakesCalls_called_dropsAndEndsTheConnection() {
        OncRpcDispatcher closed = new OncRpcDispatcher(
                Map.of(),
                task -> {
                    throw new RejectedExecutionException();
                },
                statistics,
                gone::add);
        Call call = new Call(toProgram77(2).flip());
        closed.opened(connection).call(call);
        assertThat(call.dropped).isTrue();
        assertThat(connection.aborted).isNotNull();
    }

    @Test
    void connection_closed_isReported() {
        var handler = dispatcher.opened(connection);
        handler.closed();
        assertThat(gone).hasSize(1);
        assertThat(gone.getFirst()).isSameAs(handler);
    }

    @Test
    void backwardReplies_thatNobodyWaitsFor_makeNoQueue() {
        List<Runnable> queued = new ArrayList<>();
        OncRpcDispatcher slow =
                new OncRpcDispatcher(Map.of(new OncRpcProgram(77, 2), recorder), queued::add, statistics, gone::add);
        var handler = slow.opened(connection);
        for (int xid = 0; xid < 1000; xid++) {
            handler.backwardReply(XdrStream.of(header(xid, 1, 0, 0, 0, 0).flip()));
        }
        handler.backwardReply(XdrStream.of(ByteBuffer.allocate(3)));
        assertThat(queued).isEmpty();
    }

    @Test
    void backwardReply_sentTwice_isHandledOnce() throws Exception {
        List<Runnable> queued = new ArrayList<>();
        OncRpcDispatcher slow =
                new OncRpcDispatcher(Map.of(new OncRpcProgram(77, 2), recorder), queued::add, statistics, gone::add);
        var handler = slow.opened(connection);
        List<String> heard = new ArrayList<>();
        ((RpcTransport) handler).getReplyQueue().registerKey(5, connection.localAddress(), new CompletionHandler<>() {
            @Override
            public void completed(RpcReply reply, RpcTransport on) {
                heard.add("completed");
            }

            @Override
            public void failed(Throwable why, RpcTransport on) {
                heard.add("failed");
            }
        });
        handler.backwardReply(XdrStream.of(header(5, 1, 0, 0, 0, 0).flip()));
        handler.backwardReply(XdrStream.of(header(5, 1, 0, 0, 0, 0).flip()));
        assertThat(queued).hasSize(1);
        queued.getFirst().run();
        assertThat(heard).containsExactly("completed");
    }
}
