package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** A peer ends its direction of a TCP connection while far more data is due to it than any socket buffer holds. */
class HalfCloseOverSocketsTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(0), 16, 4);
    private static final int MEGABYTES = 16;
    private static final int MEGABYTE = 1 << 20;

    /** A request of the peer: key, flags, revision, private data of 4 bytes. All frames here have this layout. */
    private static final String REQUEST = "4d504120494420526571204672616d65" + "1002" + "0004" + "00100010";

    private static final int REPLY_BYTES = 24;
    private static final String EMPTY_SEND =
            "0012" + "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00000000";

    static Stream<Boolean> transports() {
        return Stream.of(false, true).filter(epoll -> !epoll || Epoll.isAvailable());
    }

    /** The timeouts are long enough for a slow machine. The tests check that all data is sent, not when. */
    private static IwarpTransport transport(boolean epoll) {
        long patience = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        return new IwarpTransport(
                IwarpConfig.builder()
                        .queuePair(QueuePairConfig.defaults().withTimeouts(patience, patience))
                        .build(),
                epoll);
    }

    private static class Noting implements QueuePairHandler {
        final CompletableFuture<QueuePair> established = new CompletableFuture<>();
        final CompletableFuture<MemoryRegion> region = new CompletableFuture<>();
        final CompletableFuture<Void> halfClosed = new CompletableFuture<>();
        final CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
        final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();

        @Override
        public void created(QueuePair queuePair) {
            queuePair.postReceive(1000, ByteBuffer.allocateDirect(100));
            queuePair.postReceive(1001, ByteBuffer.allocateDirect(100));
            region.complete(
                    queuePair.register(ByteBuffer.allocateDirect(MEGABYTE), EnumSet.of(AccessRight.REMOTE_READ)));
        }

        @Override
        public void established(QueuePair queuePair) {
            established.complete(queuePair);
        }

        @Override
        public void completed(QueuePair queuePair, Completion completion) {
            completions.add(completion);
        }

        @Override
        public void halfClosed(QueuePair queuePair) {
            halfClosed.complete(null);
            QueuePairHandler.super.halfClosed(queuePair);
        }

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {
            ended.complete(reason);
        }

        List<Completion> of(CompletionStatus status) {
            return completions.stream()
                    .filter(completion -> completion.status() == status)
                    .toList();
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static Socket connect(Listener listener) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), listener.localAddress().getPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        write(socket, REQUEST);
        assertThat(socket.getInputStream().readNBytes(REPLY_BYTES)).hasSize(REPLY_BYTES);
        write(socket, EMPTY_SEND);
        return socket;
    }

    private static void write(Socket socket, String hex) throws IOException {
        socket.getOutputStream().write(HexFormat.of().parseHex(hex));
    }

    /** Posts all work on the owner thread. */
    private static void post(QueuePair queuePair) {
        ByteBuffer megabyte = ByteBuffer.allocateDirect(MEGABYTE);
        for (int i = 0; i < MEGABYTES; i++) {
            queuePair.post(new WorkRequest.RdmaWrite(i, List.of(megabyte.duplicate()), new RemoteMemory(1, 0)));
        }
        queuePair.post(WorkRequest.Send.of(MEGABYTES, ByteBuffer.allocate(3)));
        queuePair.flush();
    }

    /** Runs a task and waits for it. Work that another thread posts after the peer's end may come too late. */
    private static void onOwnerThread(QueuePair queuePair, Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        queuePair.execute(() -> {
            task.run();
            done.complete(null);
        });
        await(done);
    }

    /** Counts the payload bytes of the FPDUs up to the end of the stream. Each FPDU must be complete. */
    private static long payloadBytes(InputStream in) throws IOException {
        long payloadBytes = 0;
        for (byte[] length = in.readNBytes(2); length.length == 2; length = in.readNBytes(2)) {
            int ulpduBytes = Short.toUnsignedInt(ByteBuffer.wrap(length).getShort());
            int restBytes = ulpduBytes + (-(2 + ulpduBytes) & 3) + 4;
            byte[] rest = in.readNBytes(restBytes);
            assertThat(rest.length).as("behind %s bytes", payloadBytes).isEqualTo(restBytes);
            payloadBytes += ulpduBytes - ((rest[0] & 0x80) != 0 ? 14 : 18);
        }
        return payloadBytes;
    }

    @ParameterizedTest
    @MethodSource("transports")
    void peerShutsItsOutputDown_sixteenMegabytesDue_allArriveAndThenAFin(boolean epoll) throws Exception {
        Noting handler = new Noting();
        try (IwarpTransport transport = transport(epoll)) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, handler));
            try (Socket peer = connect(listener)) {
                QueuePair queuePair = await(handler.established);
                onOwnerThread(queuePair, () -> post(queuePair));
                peer.shutdownOutput();
                await(handler.halfClosed);
                assertThat(payloadBytes(peer.getInputStream())).isEqualTo((long) MEGABYTES * MEGABYTE + 3);
            }
            assertThat(await(handler.ended).cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(handler.of(CompletionStatus.SUCCESS)).hasSize(1 + MEGABYTES + 1);
            assertThat(handler.of(CompletionStatus.FLUSHED))
                    .extracting(Completion::workRequestId)
                    .containsExactly(1001L);
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void peerShutsItsOutputDown_readsUnanswered_allAnswersArriveAndThenAFin(boolean epoll) throws Exception {
        Noting handler = new Noting();
        try (IwarpTransport transport = transport(epoll)) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, handler));
            try (Socket peer = connect(listener)) {
                await(handler.established);
                for (int msn = 1; msn <= MEGABYTES; msn++) {
                    write(
                            peer,
                            "002e" + "4141" + "00000000" + "00000001" + String.format("%08x", msn) + "00000000"
                                    + "00000051" + "0000000000000000" + String.format("%08x", MEGABYTE)
                                    + String.format(
                                            "%08x", await(handler.region).stag()) + "0000000000000000"
                                    + "00000000");
                }
                peer.shutdownOutput();
                await(handler.halfClosed);
                assertThat(payloadBytes(peer.getInputStream())).isEqualTo((long) MEGABYTES * MEGABYTE);
            }
            assertThat(await(handler.ended).cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }

    /** In between the socket waits for nothing: neither for bytes from the peer nor for room to write. */
    @ParameterizedTest
    @MethodSource("transports")
    void peerShutsItsOutputDown_sixteenMegabytesPostedLater_allArriveAndThenAFin(boolean epoll) throws Exception {
        Noting handler = new Noting() {
            @Override
            public void halfClosed(QueuePair queuePair) {
                halfClosed.complete(null);
            }
        };
        try (IwarpTransport transport = transport(epoll)) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, handler));
            try (Socket peer = connect(listener)) {
                QueuePair queuePair = await(handler.established);
                peer.shutdownOutput();
                await(handler.halfClosed);
                for (int turns = 0; turns < 5; turns++) {
                    onOwnerThread(queuePair, () -> {});
                }
                onOwnerThread(queuePair, () -> {
                    post(queuePair);
                    queuePair.disconnect();
                });
                assertThat(payloadBytes(peer.getInputStream())).isEqualTo((long) MEGABYTES * MEGABYTE + 3);
            }
            assertThat(await(handler.ended).cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(handler.of(CompletionStatus.SUCCESS)).hasSize(1 + MEGABYTES + 1);
        }
    }

    /** The peer reads on for a while, so that data in flight to it does not cause a reset. */
    @ParameterizedTest
    @MethodSource("transports")
    void peerOfOursDisconnects_sixteenMegabytesDue_allLeave(boolean epoll) throws Exception {
        Noting due = new Noting() {
            @Override
            public void established(QueuePair queuePair) {
                post(queuePair);
            }
        };
        Noting leaving = new Noting() {
            @Override
            public void established(QueuePair queuePair) {
                queuePair.post(WorkRequest.Send.of(1, ByteBuffer.allocate(1)));
                queuePair.disconnect();
            }
        };
        try (IwarpTransport transport = transport(epoll)) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, due));
            transport.connector().connect(listener.localAddress(), OPTIONS, leaving);
            assertThat(await(leaving.ended).cause()).isEqualTo(Cause.LOCAL_CLOSE);
            assertThat(await(due.ended).cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(due.of(CompletionStatus.SUCCESS)).hasSize(1 + MEGABYTES + 1);
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void peerClosesWholly_sixteenMegabytesDue_theConnectionEndsAndNothingIsLeft(boolean epoll) throws Exception {
        Noting handler = new Noting();
        try (IwarpTransport transport = transport(epoll)) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, handler));
            try (Socket peer = connect(listener)) {
                QueuePair queuePair = await(handler.established);
                onOwnerThread(queuePair, () -> post(queuePair));
                assertThat(peer.isConnected()).isTrue();
            }
            // The stream ends by the peer's FIN, or by the reset that its unread bytes cause, whichever comes first.
            assertThat(await(handler.ended).cause()).isIn(Cause.PEER_CLOSE, Cause.CONNECTION_LOST);
            assertThat(handler.completions).hasSize(2 + MEGABYTES + 1);
            while (transport.statistics().connections() > 0) {
                Thread.onSpinWait();
            }
            assertThat(transport.statistics().registeredBytes()).isZero();
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }
}
