package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Peers on raw sockets that are slow or end, and their effect on other peers and on memory. */
class StreamsApartTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(0), 4, 4);
    private static final byte[] REQUEST =
            HexFormat.of().parseHex("4d504120494420526571204672616d65" + "1002" + "0004" + "00040004");
    private static final int REPLY_BYTES = 24;

    /** Long timeouts, so that a slow machine does not turn a lingering close into a reset. */
    private static final IwarpConfig PATIENT = IwarpConfig.builder()
            .queuePair(QueuePairConfig.defaults()
                    .withTimeouts(
                            TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)))
            .build();

    private static final byte[] EMPTY_SEND =
            HexFormat.of().parseHex("0012" + "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "00000000");

    private static final class Noting implements QueuePairHandler {
        final CompletableFuture<QueuePair> established = new CompletableFuture<>();
        final CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
        final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();
        final CompletableFuture<MemoryRegion> region = new CompletableFuture<>();

        @Override
        public void created(QueuePair queuePair) {
            queuePair.postReceive(1, ByteBuffer.allocateDirect(100));
            region.complete(queuePair.register(
                    ByteBuffer.allocateDirect(1 << 20), EnumSet.of(AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ)));
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
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {
            ended.complete(reason);
        }
    }

    private static Socket connect(Listener listener) throws IOException {
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), listener.localAddress().getPort());
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        socket.getOutputStream().write(REQUEST);
        assertThat(socket.getInputStream().readNBytes(REPLY_BYTES)).hasSize(REPLY_BYTES);
        socket.getOutputStream().write(EMPTY_SEND);
        return socket;
    }

    @Test
    void connected_onePeerReadsNothing_othersOfItsThreadGoOn() throws Exception {
        BlockingQueue<Noting> accepted = new LinkedBlockingQueue<>();
        try (IwarpTransport transport =
                new IwarpTransport(IwarpConfig.builder().eventLoopThreads(1).build())) {
            Listener listener = transport.listen(ANY_PORT, request -> {
                Noting handler = new Noting();
                accepted.add(handler);
                request.accept(OPTIONS, handler);
            });
            try (Socket quick = connect(listener)) {
                Noting toQuick = accepted.take();
                QueuePair other = toQuick.established.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                CompletableFuture<DisconnectReason> slowEnded = stallOne(listener, accepted, () -> {
                    for (int i = 0; i < 100; i++) {
                        int id = i;
                        other.execute(() -> {
                            other.post(WorkRequest.Send.of(id, ByteBuffer.allocate(1)));
                            other.flush();
                        });
                        byte[] fpdu = quick.getInputStream().readNBytes(28);
                        assertThat(HexFormat.of().formatHex(fpdu)).hasSize(56).startsWith("0013" + "4143");
                    }
                });
                assertThat(slowEnded.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause())
                        .isEqualTo(DisconnectReason.Cause.CONNECTION_LOST);
                assertThat(toQuick.ended).isNotDone();
            }
        }
    }

    /** What other peers do meanwhile. */
    @FunctionalInterface
    private interface Others {
        void goOn() throws Exception;
    }

    /** A peer that reads nothing of the 64 MiB that are posted for it, and finally resets its connection. */
    private static CompletableFuture<DisconnectReason> stallOne(
            Listener listener, BlockingQueue<Noting> accepted, Others others) throws Exception {
        try (Socket slow = connect(listener)) {
            Noting toSlow = accepted.take();
            QueuePair stalled = toSlow.established.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            CountDownLatch posted = new CountDownLatch(1);
            stalled.execute(() -> {
                ByteBuffer megabyte = ByteBuffer.allocateDirect(1 << 20);
                for (int i = 0; i < 64; i++) {
                    stalled.post(
                            new WorkRequest.RdmaWrite(100 + i, List.of(megabyte.duplicate()), new RemoteMemory(1, 0)));
                }
                stalled.flush();
                posted.countDown();
            });
            assertThat(posted.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            others.goOn();
            assertThat(toSlow.completions).hasSizeLessThan(64);
            slow.setSoLinger(true, 0);
            return toSlow.ended;
        }
    }

    @Test
    void received_ownerThreadIsBusy_peerIsHeldBackByTcp() throws Exception {
        Noting handler = new Noting();
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, handler));
            try (SocketChannel peer = SocketChannel.open(listener.localAddress())) {
                peer.write(ByteBuffer.wrap(REQUEST));
                ByteBuffer reply = ByteBuffer.allocate(REPLY_BYTES);
                while (reply.hasRemaining()) {
                    peer.read(reply);
                }
                peer.write(ByteBuffer.wrap(EMPTY_SEND));
                QueuePair queuePair = handler.established.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                MemoryRegion region = handler.region.get();
                CountDownLatch busy = new CountDownLatch(1);
                CountDownLatch release = new CountDownLatch(1);
                queuePair.execute(() -> {
                    busy.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                busy.await();
                peer.configureBlocking(false);
                ByteBuffer fpdus = ByteBuffer.allocate(20 * 4096);
                while (fpdus.hasRemaining()) {
                    fpdus.putShort((short) 14)
                            .putShort((short) 0xc140)
                            .putInt((int) region.stag())
                            .putLong(0)
                            .putInt(0);
                }
                // The window closes: a write that takes nothing happens before much memory has been used.
                long sent = 0;
                int taken = peer.write(fpdus.rewind());
                while (taken == fpdus.capacity()) {
                    sent += taken;
                    assertThat(sent).isLessThan(1L << 30);
                    taken = peer.write(fpdus.rewind());
                }
                release.countDown();
                peer.configureBlocking(true);
                while (fpdus.hasRemaining()) {
                    peer.write(fpdus);
                }
                peer.shutdownOutput();
                assertThat(handler.ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause())
                        .isEqualTo(DisconnectReason.Cause.PEER_CLOSE);
            }
        }
    }

    @Test
    void terminated_peerSendsOn_getsTheTerminateAndAFinAndNoReset() throws Exception {
        Noting handler = new Noting();
        try (IwarpTransport transport = new IwarpTransport(PATIENT)) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, handler));
            try (Socket peer = connect(listener)) {
                byte[] bad = HexFormat.of()
                        .parseHex("000f" + "c140" + "00000000" + "0000000000000000" + "aa000000" + "00000000" + "00");
                peer.getOutputStream().write(bad, 0, 24);
                // Much data that nobody will read. A close with unread data would reset the connection and could lose
                // the Terminate.
                byte[] much = new byte[1 << 20];
                for (int i = 0; i < 8; i++) {
                    peer.getOutputStream().write(much);
                }
                InputStream in = peer.getInputStream();
                byte[] rest = in.readAllBytes();
                assertThat(HexFormat.of().formatHex(rest))
                        .isEqualTo("0026" + "4147" + "00000000" + "00000002" + "00000001" + "00000000" + "1100c000"
                                + "000f" + "c140" + "00000000" + "0000000000000000" + "00000000");
                peer.shutdownOutput();
                assertThat(handler.ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause())
                        .isEqualTo(DisconnectReason.Cause.LOCAL_TERMINATE);
            }
        }
    }

    @Test
    void terminated_manyTimes_noConnectionIsLeft() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, new Noting()));
            for (int i = 0; i < 300; i++) {
                try (Socket peer = connect(listener)) {
                    peer.getOutputStream()
                            .write(HexFormat.of()
                                    .parseHex("000e" + "c040" + "00000000" + "0000000000000000" + "00000000"));
                    assertThat(peer.getInputStream().readAllBytes()).hasSize(44);
                }
            }
            while (transport.statistics().connections() > 0) {
                Thread.onSpinWait();
            }
            assertThat(transport.statistics().accepted()).isEqualTo(300);
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }
}
