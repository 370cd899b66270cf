package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
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
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** Queue pairs over loopback sockets, with Netty's most thorough leak detection. */
class IwarpTransportTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(8), 4, 4);

    /** A limit against hangs only, far longer than any of these tests takes. */
    private static final long PATIENCE_SECONDS = 60;

    private static IwarpConfig config(QueuePairConfig queuePair) {
        return IwarpConfig.builder().queuePair(queuePair).build();
    }

    static Stream<Arguments> everyWay() {
        List<Arguments> ways = new ArrayList<>();
        for (boolean epoll : new boolean[] {false, true}) {
            for (CrcPolicy crc : CrcPolicy.values()) {
                for (boolean peerToPeer : new boolean[] {false, true}) {
                    ways.add(Arguments.of(epoll, crc, peerToPeer));
                }
            }
        }
        return ways.stream().filter(way -> Epoll.isAvailable() || way.get()[0].equals(false));
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void connected_randomWork_allWorkCompletesAndAllBytesAreRight(boolean epoll, CrcPolicy crc, boolean peerToPeer)
            throws Exception {
        // Markers are tested where nothing else is special.
        boolean markers = crc == CrcPolicy.PREFERRED;
        QueuePairConfig queuePair = QueuePairConfig.defaults()
                .withMpa(MpaChoices.defaults()
                        .withCrcPolicy(crc)
                        .withPeerToPeer(peerToPeer)
                        .withMarkers(markers));
        // One thread, because each of the two handlers reads the other's state.
        try (IwarpTransport transport = new IwarpTransport(
                IwarpConfig.builder().queuePair(queuePair).eventLoopThreads(1).build(), epoll)) {
            RandomPeer initiator = new RandomPeer(7, 400);
            RandomPeer responder = new RandomPeer(8, 400);
            initiator.joins(responder);
            responder.joins(initiator);
            CountDownLatch done = new CountDownLatch(1);
            CountDownLatch ended = new CountDownLatch(2);
            initiator.whenBothDone = done::countDown;
            responder.whenBothDone = done::countDown;
            initiator.whenDisconnected = ended::countDown;
            responder.whenDisconnected = ended::countDown;
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, responder));
            transport.connector().connect(listener.localAddress(), OPTIONS, initiator);
            assertThat(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Void> checked = new CompletableFuture<>();
            initiator.queuePair().execute(() -> {
                initiator.checkRegionAtPeer();
                responder.checkRegionAtPeer();
                assertThat(initiator.queuePair().parameters().crc()).isEqualTo(crc != CrcPolicy.OFF);
                initiator.queuePair().disconnect();
                checked.complete(null);
            });
            checked.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(initiator.disconnected.cause()).isEqualTo(Cause.LOCAL_CLOSE);
            assertThat(responder.disconnected.cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }

    static Stream<Arguments> everyFraming() {
        List<Arguments> ways = new ArrayList<>();
        for (int markers = 0; markers < 4; markers++) {
            for (CrcPolicy crc : new CrcPolicy[] {CrcPolicy.OFF, CrcPolicy.REQUIRED}) {
                for (int revision = 1; revision <= 2; revision++) {
                    ways.add(Arguments.of((markers & 1) != 0, (markers & 2) != 0, crc, revision));
                }
            }
        }
        return ways.stream();
    }

    /**
     * The responder closes on requests of a revision that it does not know, and the initiator falls back over a new
     * connection.
     */
    @ParameterizedTest
    @MethodSource("everyFraming")
    void connected_endsThatWantDifferentThings_messagesPass(
            boolean markersToInitiator, boolean markersToResponder, CrcPolicy crc, int revision) throws Exception {
        MpaChoices responder = MpaChoices.defaults()
                .withCrcPolicy(crc)
                .withMarkers(markersToResponder)
                .withRevision(revision, false);
        MpaChoices initiator = MpaChoices.defaults().withMarkers(markersToInitiator);
        try (IwarpTransport near =
                        new IwarpTransport(config(QueuePairConfig.defaults().withMpa(initiator)));
                IwarpTransport far =
                        new IwarpTransport(config(QueuePairConfig.defaults().withMpa(responder)))) {
            Listener listener = far.listen(ANY_PORT, request -> request.accept(OPTIONS, new Echo()));
            CompletableFuture<String> answer = new CompletableFuture<>();
            Asker asker = new Asker("a question", answer);
            near.connector().connect(listener.localAddress(), OPTIONS, asker);
            assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("a question");
            assertThat(asker.revision).isEqualTo(revision);
            assertThat(near.statistics().internalErrors()).isZero();
            assertThat(far.statistics().internalErrors()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connect_peerThatClosesOnEveryRequest_handlerHearsOnceAfterTwoTries(boolean reset) throws Exception {
        try (IwarpTransport transport = new IwarpTransport();
                ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
            AtomicInteger created = new AtomicInteger();
            transport
                    .connector()
                    .connect((InetSocketAddress) server.getLocalSocketAddress(), OPTIONS, new QuietHandler(ended) {
                        @Override
                        public void created(QueuePair queuePair) {
                            created.incrementAndGet();
                        }
                    });
            List<Integer> revisions = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                try (Socket socket = server.accept()) {
                    revisions.add((int) socket.getInputStream().readNBytes(18)[17]);
                    if (reset) {
                        socket.setSoLinger(true, 0);
                    }
                }
            }
            assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause()).isEqualTo(Cause.CONNECTION_LOST);
            assertThat(revisions).containsExactly(2, 1);
            assertThat(created).hasValue(1);
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }

    @Test
    void connected_manyAtOnce_eachEchoesItsOwn() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> request.accept(OPTIONS, new Echo()));
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                String question = "question " + i;
                CompletableFuture<String> answer = new CompletableFuture<>();
                answers.add(answer);
                transport.connector().connect(listener.localAddress(), OPTIONS, new Asker(question, answer));
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .isEqualTo("question " + i);
            }
            // The last answer may arrive before the thread that sent it counts its connection.
            while (transport.statistics().halfOpenConnections() > 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void connected_peerWritesOutOfBounds_itsStreamAloneEndsWithATerminate() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            BlockingQueue<MemoryRegion> regions = new LinkedBlockingQueue<>();
            CompletableFuture<DisconnectReason> victim = new CompletableFuture<>();
            Listener listener = transport.listen(
                    ANY_PORT,
                    request -> request.accept(OPTIONS, new QuietHandler(victim) {
                        @Override
                        public void created(QueuePair queuePair) {
                            regions.add(queuePair.register(
                                    ByteBuffer.allocateDirect(100), EnumSet.of(AccessRight.REMOTE_WRITE)));
                        }
                    }));
            CompletableFuture<DisconnectReason> attacker = new CompletableFuture<>();
            transport.connector().connect(listener.localAddress(), OPTIONS, new QuietHandler(attacker) {
                @Override
                public void established(QueuePair queuePair) {
                    RemoteMemory beyond = new RemoteMemory(regions.remove().stag(), 99);
                    queuePair.post(new WorkRequest.RdmaWrite(1, List.of(ByteBuffer.allocate(2)), beyond));
                    queuePair.flush();
                }
            });
            assertThat(victim.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause()).isEqualTo(Cause.LOCAL_TERMINATE);
            DisconnectReason reason = attacker.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(reason.cause()).isEqualTo(Cause.PEER_TERMINATE);
            assertThat(reason.detail()).contains("layer 1 (DDP) type 1 code 0x01");
        }
    }

    @Test
    void handlerThrows_thatConnectionEnds_othersGoOn() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            CompletableFuture<DisconnectReason> broken = new CompletableFuture<>();
            Listener listener = transport.listen(ANY_PORT, request -> {
                if (request.privateData().get(0) == 1) {
                    request.accept(OPTIONS, new QuietHandler(broken) {
                        @Override
                        public void created(QueuePair queuePair) {
                            queuePair.postReceive(1, ByteBuffer.allocate(100));
                        }

                        @Override
                        public void completed(QueuePair queuePair, Completion completion) {
                            throw new IllegalStateException("a defect for the test");
                        }
                    });
                } else {
                    request.accept(OPTIONS, new Echo());
                }
            });
            ConnectOptions marked = new ConnectOptions(ByteBuffer.wrap(new byte[] {1, 0, 0, 0}), 0, 0);
            transport.connector().connect(listener.localAddress(), marked, new Asker("x", new CompletableFuture<>()));
            assertThat(broken.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause()).isEqualTo(Cause.INTERNAL_ERROR);
            assertThat(transport.statistics().internalErrors()).isEqualTo(1);
            CompletableFuture<String> answer = new CompletableFuture<>();
            transport.connector().connect(listener.localAddress(), OPTIONS, new Asker("still there", answer));
            assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("still there");
        }
    }

    @Test
    void connect_nobodyListens_handlerHearsWhy() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            listener.close();
            CompletableFuture<DisconnectReason> reason = new CompletableFuture<>();
            transport.connector().connect(listener.localAddress(), OPTIONS, new QuietHandler(reason));
            assertThat(reason.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause()).isEqualTo(Cause.CONNECTION_LOST);
        }
    }

    @Test
    void close_connected_bothUpperLayersHearThatItWasUs() throws Exception {
        List<CompletableFuture<DisconnectReason>> ends = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        CountDownLatch established = new CountDownLatch(1);
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener =
                    transport.listen(ANY_PORT, request -> request.accept(OPTIONS, new QuietHandler(ends.get(0))));
            transport.connector().connect(listener.localAddress(), OPTIONS, new QuietHandler(ends.get(1)) {
                @Override
                public void established(QueuePair queuePair) {
                    established.countDown();
                }
            });
            assertThat(established.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        for (CompletableFuture<DisconnectReason> end : ends) {
            assertThat(end.get(PATIENCE_SECONDS, TimeUnit.SECONDS).cause()).isIn(Cause.LOCAL_CLOSE, Cause.PEER_CLOSE);
        }
    }

    @Test
    void connect_rejected_handlerHearsThePeersWords() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            ByteBuffer words = ByteBuffer.wrap(new byte[] {5, 6, 7, 8});
            Listener listener = transport.listen(ANY_PORT, request -> request.reject(words));
            CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
            transport.connector().connect(listener.localAddress(), OPTIONS, new QuietHandler(ended));
            DisconnectReason reason = ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(reason.cause()).isEqualTo(Cause.REJECTED);
            assertThat(reason.rejection().privateData()).isEqualTo(words);
        }
    }

    @Test
    void listen_addressTaken_saysWhich() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            assertThatThrownBy(() -> transport.listen(listener.localAddress(), request -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(String.valueOf(listener.localAddress().getPort()));
            listener.close();
            transport.listen(listener.localAddress(), request -> {}).close();
        }
    }

    @Test
    void accepted_silentPeer_isClosedAfterTheStartupTimeout() throws Exception {
        QueuePairConfig impatient =
                QueuePairConfig.defaults().withTimeouts(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
        try (IwarpTransport transport = new IwarpTransport(config(impatient))) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), listener.localAddress().getPort())) {
                assertThat(readEnd(socket)).isTrue();
            }
        }
    }

    @Test
    void accepted_moreThanTheLimit_isClosedAtOnceAndCounted() throws Exception {
        IwarpConfig narrow = IwarpConfig.builder().maxHalfOpenConnections(2).build();
        try (IwarpTransport transport = new IwarpTransport(narrow)) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            int port = listener.localAddress().getPort();
            try (Socket first = new Socket(InetAddress.getLoopbackAddress(), port);
                    Socket second = new Socket(InetAddress.getLoopbackAddress(), port)) {
                while (transport.statistics().halfOpenConnections() < 2) {
                    Thread.onSpinWait();
                }
                try (Socket third = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    assertThat(readEnd(third)).isTrue();
                    assertThat(transport.statistics().refused()).isEqualTo(1);
                }
                assertThat(first.isConnected() && second.isConnected()).isTrue();
            }
        }
    }

    @Test
    void accepted_wrongProtocol_isClosed() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(ANY_PORT, request -> {});
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), listener.localAddress().getPort())) {
                socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(readEnd(socket)).isTrue();
            }
            assertThat(transport.statistics().internalErrors()).isZero();
        }
    }

    /** True if the peer ends the connection in any way without having sent anything. */
    private static boolean readEnd(Socket socket) throws IOException {
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        InputStream in = socket.getInputStream();
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private static final class Echo extends QuietHandler {
        Echo() {
            super(new CompletableFuture<>());
        }

        @Override
        public void created(QueuePair queuePair) {
            queuePair.postReceive(1, ByteBuffer.allocateDirect(100));
        }

        @Override
        public void completed(QueuePair queuePair, Completion completion) {
            if (completion instanceof Completion.Received received && received.status() == CompletionStatus.SUCCESS) {
                queuePair.postReceive(1, ByteBuffer.allocateDirect(100));
                queuePair.post(WorkRequest.Send.of(2, received.buffer()));
                queuePair.flush();
            }
        }
    }

    private static final class Asker extends QuietHandler {
        private final String question;
        private final CompletableFuture<String> answer;
        volatile int revision;

        Asker(String question, CompletableFuture<String> answer) {
            super(new CompletableFuture<>());
            this.question = question;
            this.answer = answer;
        }

        @Override
        public void created(QueuePair queuePair) {
            queuePair.postReceive(1, ByteBuffer.allocateDirect(100));
        }

        @Override
        public void established(QueuePair queuePair) {
            revision = queuePair.parameters().revision();
            queuePair.post(WorkRequest.Send.of(2, ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8))));
            queuePair.flush();
        }

        @Override
        public void completed(QueuePair queuePair, Completion completion) {
            if (completion instanceof Completion.Received received && received.status() == CompletionStatus.SUCCESS) {
                answer.complete(StandardCharsets.UTF_8.decode(received.buffer()).toString());
                queuePair.disconnect();
            }
        }
    }
}
