package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.RequestException.Failure;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawResponder;
import org.warpnfs.rpcrdma.testing.Rpc;

/** The TCP requester over loopback sockets, against our own service and against servers that break the rules. */
@Timeout(60)
class TcpRequesterTest {
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final RetryPolicy POLICY = new RetryPolicy(5, Duration.ofMillis(1), Duration.ofMillis(10), 1000);

    private final TcpConnector connector = new TcpConnector(1);
    private final RpcRequesters requesters = new RpcRequesters(1);

    @AfterEach
    void close() {
        requesters.close();
        connector.close();
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static Failure failure(CompletableFuture<?> reply) throws Exception {
        try {
            reply.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return ((RequestException) e.getCause()).failure();
        }
        throw new AssertionError("the call succeeded");
    }

    /** A server that the test controls. */
    private static final class Server implements AutoCloseable {
        private final ServerSocket listening;
        private Socket socket;
        private DataInputStream in;

        Server() throws IOException {
            listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            listening.setSoTimeout(30_000);
        }

        InetSocketAddress address() {
            return (InetSocketAddress) listening.getLocalSocketAddress();
        }

        void accept() throws IOException {
            socket = listening.accept();
            socket.setSoTimeout(30_000);
            in = new DataInputStream(socket.getInputStream());
        }

        ByteBuffer record() throws IOException {
            byte[] record = new byte[in.readInt() & ~LAST_FRAGMENT];
            in.readFully(record);
            return ByteBuffer.wrap(record);
        }

        void send(ByteBuffer record) throws IOException {
            ByteBuffer out = ByteBuffer.allocate(4 + record.remaining());
            out.putInt(LAST_FRAGMENT | record.remaining()).put(record);
            socket.getOutputStream().write(out.array());
        }

        void success(int xid) throws IOException {
            send(RawResponder.words(xid, 1, 0, 0, 0, 0));
        }

        @Override
        public void close() throws IOException {
            if (socket != null) {
                socket.close();
            }
            listening.close();
        }
    }

    /** Its exception would end the deadlines of all calls of all requesters. */
    @Test
    void handler_thatThrowsWhenItsCallHasNoReply_doesNotKeepOthersFromTheirDeadlines() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) gone.getLocalSocketAddress();
        }
        RetryPolicy patient = new RetryPolicy(10_000, Duration.ofMillis(100), Duration.ofMillis(100), 1000);
        Requester requester = requesters.overTcp(nobody, TcpRequesterOptions.DEFAULT, patient, BackwardCalls.NONE);
        long deadlineNanos = Requester.deadlineNanos(Duration.ofMillis(300));
        requester.call(Rpc.call(7, 0), ChunkOffer.NONE, deadlineNanos, new Ended(new CompletableFuture<>()) {
            @Override
            public void failed(RequestException why) {
                throw new IllegalStateException("for a test");
            }
        });
        CompletableFuture<Failure> second = new CompletableFuture<>();
        requester.call(Rpc.call(8, 0), ChunkOffer.NONE, deadlineNanos, new Ended(second));
        assertThat(second).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(Failure.TIMED_OUT);

        CompletableFuture<Failure> later = new CompletableFuture<>();
        requester.call(
                Rpc.call(9, 0), ChunkOffer.NONE, Requester.deadlineNanos(Duration.ofMillis(1)), new Ended(later));
        assertThat(later).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(Failure.TIMED_OUT);
    }

    /** Tells how a call ended. */
    private static class Ended implements ReplyHandler {
        private final CompletableFuture<Failure> how;

        Ended(CompletableFuture<Failure> how) {
            this.how = how;
        }

        @Override
        public void replied(XdrStream message, List<ByteBuffer> written) {
            how.completeExceptionally(new AssertionError("a reply"));
        }

        @Override
        public void failed(RequestException why) {
            how.complete(why.failure());
        }
    }

    /** An event loop that is told to stop in the middle of a task must still close its connections. */
    @Test
    void close_ofTheConnectorWhileItsLoopIsBusy_endsTheCall() throws Exception {
        TcpConnector closing = new TcpConnector(1);
        try (Server server = new Server()) {
            Requester requester = closing.connect(server.address(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE)
                    .get(30, TimeUnit.SECONDS);
            server.accept();
            CompletableFuture<?> reply = requester.call(Rpc.call(7, 0), ChunkOffer.NONE);
            server.record();
            CountDownLatch busy = new CountDownLatch(1);
            var _ = closing.after(0, () -> {
                busy.countDown();
                while (!closing.isClosing()) {
                    Thread.onSpinWait();
                }
            });
            busy.await();
            closing.close();
            assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
            assertThat(server.in.read()).as("the end of the connection").isEqualTo(-1);
        }
    }

    @Test
    void calls_afterTheConnectorIsClosed_fail() throws Exception {
        try (Server server = new Server()) {
            TcpConnector closed = new TcpConnector(1);
            Requester requester = closed.connect(server.address(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE)
                    .get(30, TimeUnit.SECONDS);
            server.accept();
            closed.close();
            for (int xid = 1; xid <= 3; xid++) {
                assertThat(failure(requester.call(Rpc.call(xid, 0), ChunkOffer.NONE)))
                        .isEqualTo(Failure.DISCONNECTED);
            }
        }
    }

    @Test
    void manyCalls_atOnce_areAllAnsweredRightly() throws Exception {
        PayloadPool pool = new PayloadPool(64 << 20, 2 << 20);
        try (OperationThreads threads = new OperationThreads(2);
                TcpRpcService service = TcpRpcService.start(
                        anyPort(),
                        Map.of(EchoProgram.PROGRAM, new EchoProgram(pool)),
                        threads,
                        TcpOptions.DEFAULT,
                        transport -> {})) {
            Requester requester =
                    requesters.overTcp(service.localAddress(), TcpRequesterOptions.DEFAULT, POLICY, BackwardCalls.NONE);
            SplittableRandom random = new SplittableRandom(4);
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int xid = 1; xid <= 200; xid++) {
                all.add(randomCall(requester, random, xid));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            requester.close();
        }
        assertThat(pool.lentBytes()).isZero();
    }

    private static CompletableFuture<Void> randomCall(Requester requester, SplittableRandom random, int xid) {
        int count = random.nextInt(1 << random.nextInt(1, 20));
        if (random.nextBoolean()) {
            byte[] data = EchoProgram.pattern(count, xid);
            return requester.call(Rpc.write(xid, data), ChunkOffer.NONE).thenAccept(reply -> {
                ByteBuffer results = Rpc.success(xid, reply.message());
                assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                        .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
            });
        }
        return requester
                .call(Rpc.call(xid, EchoProgram.READ, count), ChunkOffer.NONE)
                .thenAccept(reply -> {
                    ByteBuffer results = Rpc.success(xid, reply.message());
                    assertThat(results.getInt()).isEqualTo(0x11111111);
                    assertThat(results.getInt()).isEqualTo(count);
                    assertThat(results.slice(results.position(), count))
                            .isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count, 0)));
                });
    }

    @Test
    void replies_outOfOrderUnknownAndTwice_reachTheirCallOnce() throws Exception {
        try (Server server = new Server()) {
            CompletableFuture<Requester> connecting =
                    connector.connect(server.address(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE);
            server.accept();
            Requester requester = connecting.get(30, TimeUnit.SECONDS);
            CompletableFuture<RequesterReply> first = requester.call(Rpc.call(1, 0), ChunkOffer.NONE);
            CompletableFuture<RequesterReply> second = requester.call(Rpc.call(2, 0), ChunkOffer.NONE);
            server.record();
            server.record();
            server.success(77);
            server.success(2);
            server.success(2);
            second.get(30, TimeUnit.SECONDS);
            assertThat(first).isNotDone();
            server.success(1);
            first.get(30, TimeUnit.SECONDS);
            assertThat(requester.open()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // A record beyond the limit, records too short for an RPC message, one of no known direction.
                "ffffffff",
                "80000000",
                "8000000400000001",
                "80000008" + "00000001" + "00000002"
            })
    void malformedRecord_arrives_failsTheCall(String hex) throws Exception {
        try (Server server = new Server()) {
            CompletableFuture<Requester> connecting =
                    connector.connect(server.address(), TcpRequesterOptions.DEFAULT, BackwardCalls.NONE);
            server.accept();
            Requester requester = connecting.get(30, TimeUnit.SECONDS);
            CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(1, 0), ChunkOffer.NONE);
            server.record();
            server.socket.getOutputStream().write(HexFormat.of().parseHex(hex));
            assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
            assertThat(server.in.read()).isEqualTo(-1);
        }
    }

    @Test
    void window_full_holdsCallsBack() throws Exception {
        try (Server server = new Server()) {
            CompletableFuture<Requester> connecting =
                    connector.connect(server.address(), new TcpRequesterOptions(1024, 2, 1), BackwardCalls.NONE);
            server.accept();
            Requester requester = connecting.get(30, TimeUnit.SECONDS);
            List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
            for (int xid = 1; xid <= 3; xid++) {
                replies.add(requester.call(Rpc.call(xid, 0), ChunkOffer.NONE));
            }
            assertThat(server.record().getInt(0)).isEqualTo(1);
            assertThat(server.record().getInt(0)).isEqualTo(2);
            server.socket.setSoTimeout(50);
            assertThatThrownBy(server::record).isInstanceOf(SocketTimeoutException.class);
            server.socket.setSoTimeout(30_000);
            server.success(1);
            assertThat(server.record().getInt(0)).isEqualTo(3);
            server.success(3);
            server.success(2);
            CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void connectionEnds_inMidCall_isSentAgainWithTheSameXid() throws Exception {
        try (Server server = new Server()) {
            Requester requester =
                    requesters.overTcp(server.address(), TcpRequesterOptions.DEFAULT, POLICY, BackwardCalls.NONE);
            CompletableFuture<RequesterReply> reply =
                    requester.call(Rpc.write(7, EchoProgram.pattern(100_000, 0)), ChunkOffer.NONE);
            server.accept();
            ByteBuffer before = server.record();
            server.socket.close();
            server.accept();
            assertThat(server.record()).isEqualTo(before);
            server.success(7);
            assertThat(Rpc.success(7, reply.get(30, TimeUnit.SECONDS).message()).hasRemaining())
                    .isFalse();
        }
    }

    @Test
    void nobodyListens_called_failsAndSaysWhere() throws Exception {
        InetSocketAddress nobody;
        try (Server server = new Server()) {
            nobody = server.address();
        }
        Requester requester = requesters.overTcp(nobody, TcpRequesterOptions.DEFAULT, POLICY, BackwardCalls.NONE);
        CompletableFuture<RequesterReply> reply = requester.call(Rpc.call(1, 0), ChunkOffer.NONE);
        assertThat(failure(reply)).isEqualTo(Failure.DISCONNECTED);
        assertThatThrownBy(reply::get).hasMessageContaining("cannot connect to").hasMessageContaining("127.0.0.1");
    }

    @Test
    void serverSilent_deadlinePasses_endsTheCall() throws Exception {
        try (Server server = new Server()) {
            Requester requester = requesters.overTcp(
                    server.address(), TcpRequesterOptions.DEFAULT, RetryPolicy.NONE, BackwardCalls.NONE);
            CompletableFuture<Failure> ended = new CompletableFuture<>();
            requester.call(
                    Rpc.call(1, 0),
                    ChunkOffer.NONE,
                    RpcRequesters.deadlineNanos(Duration.ofMillis(1)),
                    new ReplyHandler() {
                        @Override
                        public void replied(XdrStream message, List<ByteBuffer> written) {
                            ended.completeExceptionally(new AssertionError());
                        }

                        @Override
                        public void failed(RequestException why) {
                            ended.complete(why.failure());
                        }
                    });
            assertThat(ended.get(30, TimeUnit.SECONDS)).isEqualTo(Failure.TIMED_OUT);
        }
    }

    @Test
    void backwardCall_arrives_isAnswered() throws Exception {
        try (Server server = new Server()) {
            CompletableFuture<Requester> connecting = connector.connect(
                    server.address(),
                    TcpRequesterOptions.DEFAULT,
                    BackwardCalls.answeredBy(call -> RawResponder.words(call.getInt(0), 1, 0, 42)));
            server.accept();
            connecting.get(30, TimeUnit.SECONDS);
            server.send(RawResponder.words(55, 0, 2));
            assertThat(server.record()).isEqualTo(RawResponder.words(55, 1, 0, 42));
        }
    }

    @Test
    void backwardCalls_moreThanAllowed_endTheConnection() throws Exception {
        try (Server server = new Server()) {
            CompletableFuture<Requester> connecting =
                    connector.connect(server.address(), new TcpRequesterOptions(1024, 2, 1), BackwardCalls.NONE);
            server.accept();
            connecting.get(30, TimeUnit.SECONDS);
            server.send(RawResponder.words(55, 0, 2));
            server.send(RawResponder.words(56, 0, 2));
            assertThat(server.in.read()).isEqualTo(-1);
        }
    }
}
