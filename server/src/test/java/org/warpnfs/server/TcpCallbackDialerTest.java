package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.nfs.v4.callback.CallbackClient;
import org.warpnfs.nfs.v4.callback.CallbackDialer;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackCredential;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.testkit.Seeds;

/** NFSv4.0 callbacks over loopback sockets, to correct and to faulty clients. */
@Timeout(60)
class TcpCallbackDialerTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2049);

    private final TcpCallbackDialer dialer = new TcpCallbackDialer(LOOPBACK);
    private final BlockingQueue<CallbackOutcome> outcomes = new LinkedBlockingQueue<>();
    private final CallbackClient client = new CallbackClient(dialer, (_, outcome) -> outcomes.add(outcome));

    @AfterEach
    void close() {
        client.close();
        dialer.close();
    }

    private static CallbackCall.Dialed target(int port) {
        return new CallbackCall.Dialed(
                new CallbackAddress(
                        0x4000_0000, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0x1234_5678),
                new CallbackCredential.Sys(0, "warpnfs", 0, 0, List.of()));
    }

    private CallbackOutcome outcome() throws InterruptedException {
        return CallbackListener.next(outcomes);
    }

    private CallbackOutcome outcomeOfNull(CallbackCall.Dialed target) throws InterruptedException {
        client.send(new CallbackCall.Null(target));
        return outcome();
    }

    @Test
    void client_thatAnswers_isCalledOverOneConnection() throws Exception {
        try (CallbackListener listener = new CallbackListener(CallbackListener::answer)) {
            CallbackCall.Dialed target = target(listener.port());
            for (int i = 0; i < 3; i++) {
                assertThat(outcomeOfNull(target)).isInstanceOf(CallbackOutcome.Done.class);
                assertThat(ByteBuffer.wrap(CallbackListener.next(listener.calls))
                                .getInt(12))
                        .as("program")
                        .isEqualTo(0x4000_0000);
            }
            assertThat(listener.connected).hasSize(1);
        }
    }

    @Test
    void client_thatRefuses_isAFailure() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        assertThat(outcomeOfNull(target(port))).isInstanceOf(CallbackOutcome.Failed.class);
    }

    @Test
    void client_thatTakesNoConnection_isAFailureAfterTheTimeLimit() throws Exception {
        List<Socket> fillers = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpCallbackDialer hasty = new TcpCallbackDialer(LOOPBACK, Duration.ofMillis(300))) {
            InetSocketAddress address = (InetSocketAddress) full.getLocalSocketAddress();
            fill(address, fillers);
            Future<CallbackDialer.Connection> connection = hasty.dial(address).toCompletableFuture();
            assertThatThrownBy(() -> connection.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        } finally {
            for (Socket filler : fillers) {
                filler.close();
            }
        }
    }

    /** Connects until the accept queue of the listener is full. */
    private static void fill(InetSocketAddress address, List<Socket> fillers) throws IOException {
        try {
            for (int i = 0; i < 64; i++) {
                Socket filler = new Socket();
                fillers.add(filler);
                filler.connect(address, 300);
            }
        } catch (SocketTimeoutException e) {
            return;
        }
        throw new AssertionError("the queue of the listener has no end");
    }

    @Test
    void client_thatClosesInsteadOfAnswering_isAFailureAndCalledAnewTheNextTime() throws Exception {
        try (CallbackListener listener = new CallbackListener((_, socket) -> socket.close())) {
            CallbackCall.Dialed target = target(listener.port());
            assertThat(outcomeOfNull(target)).isInstanceOf(CallbackOutcome.Failed.class);
            assertThat(outcomeOfNull(target)).isInstanceOf(CallbackOutcome.Failed.class);
            assertThat(listener.connected).hasSize(2);
        }
    }

    @Test
    void client_thatAnnouncesALongReply_isDisconnectedBeforeItComes() throws Exception {
        try (CallbackListener listener =
                new CallbackListener((_, socket) -> CallbackListener.send(socket, 0x8000_0000 | 4097))) {
            assertThat(outcomeOfNull(target(listener.port()))).isInstanceOf(CallbackOutcome.Failed.class);
            CallbackListener.next(listener.gone);
        }
    }

    @Test
    void client_thatCallsBack_isDisconnected() throws Exception {
        try (CallbackListener listener = new CallbackListener(
                (_, socket) -> CallbackListener.send(socket, 0x8000_0000 | 40, 9, 0, 2, 100003, 4, 0, 0, 0, 0, 0))) {
            assertThat(outcomeOfNull(target(listener.port()))).isInstanceOf(CallbackOutcome.Failed.class);
            CallbackListener.next(listener.gone);
        }
    }

    @Test
    void client_thatSendsGarbage_isAFailureInTheEnd() {
        Seeds.each(50, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] garbage = new byte[8 + random.nextInt(300)];
            random.nextBytes(garbage);
            boolean framed = random.nextBoolean();
            boolean headed = random.nextBoolean();
            try (CallbackListener listener = new CallbackListener((call, socket) -> {
                ByteBuffer bytes = ByteBuffer.wrap(garbage);
                if (headed) {
                    bytes.putInt(0, ByteBuffer.wrap(call).getInt()).putInt(4, 1);
                }
                if (framed) {
                    CallbackListener.send(socket, bytes);
                } else {
                    socket.getOutputStream().write(garbage);
                }
                socket.close();
            })) {
                client.send(new CallbackCall.PlainRecall(
                        target(listener.port()),
                        new CallbackCall.Recall(new Stateid(1, 2, 3), Opaque.of(new byte[8]))));
                assertThat(outcome()).isNotEqualTo(new CallbackOutcome.Compound(0, 0));
            }
        });
    }

    @Test
    void client_thatDeniesTheCall_isAFailureAndStaysConnected() throws Exception {
        // MSG_DENIED, AUTH_ERROR, AUTH_BADCRED
        try (CallbackListener listener = new CallbackListener((call, socket) -> CallbackListener.send(
                socket, 0x8000_0000 | 20, ByteBuffer.wrap(call).getInt(), 1, 1, 1, 1))) {
            CallbackCall.Dialed target = target(listener.port());
            assertThat(outcomeOfNull(target)).isInstanceOf(CallbackOutcome.Failed.class);
            assertThat(outcomeOfNull(target)).isInstanceOf(CallbackOutcome.Failed.class);
            assertThat(listener.connected).hasSize(1);
        }
    }

    @Test
    void client_isCalledFromTheAddressThatTheServerListensAt() throws Exception {
        InetAddress other = InetAddress.getByName("127.0.0.2");
        try (CallbackListener listener = new CallbackListener(CallbackListener::answer);
                TcpCallbackDialer fromOther = new TcpCallbackDialer(new InetSocketAddress(other, 2049))) {
            InetSocketAddress address = target(listener.port()).address().socket();
            fromOther.dial(address).toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(CallbackListener.next(listener.connected)).isEqualTo(other);
            dialer.dial(address).toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(CallbackListener.next(listener.connected)).isEqualTo(InetAddress.getLoopbackAddress());
        }
    }

    @Test
    void close_ofTheClient_endsItsConnections() throws Exception {
        try (CallbackListener listener = new CallbackListener(CallbackListener::answer)) {
            CallbackCall.Dialed target = target(listener.port());
            outcomeOfNull(target);
            client.close();
            CallbackListener.next(listener.gone);
            assertThat(outcomeOfNull(target)).isInstanceOf(CallbackOutcome.Failed.class);
        }
    }

    @Test
    void close_ofTheDialer_endsCallsAndConnectionsAndTimers() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        try (CallbackListener silent = new CallbackListener((_, _) -> called.countDown())) {
            client.send(new CallbackCall.Null(target(silent.port())));
            called.await();
            dialer.close();
            assertThat(outcome()).isInstanceOf(CallbackOutcome.Failed.class);
            CallbackListener.next(silent.gone);
            assertThat(dialer.after(0, () -> {
                        throw new AssertionError("a timer of what is closed");
                    }))
                    .isDone();
            assertThat(dialer.dial(LOOPBACK).toCompletableFuture()).isCompletedExceptionally();
        }
    }

    @Test
    void after_aTime_runsTheTask() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        dialer.after(1, ran::countDown).get(30, TimeUnit.SECONDS);
        ran.await();
    }
}
