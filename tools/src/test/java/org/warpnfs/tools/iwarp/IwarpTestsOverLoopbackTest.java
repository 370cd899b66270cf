package org.warpnfs.tools.iwarp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.limits.FpduSize;

/** Runs our clients against our servers over sockets. */
@Timeout(60)
class IwarpTestsOverLoopbackTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final MpaChoices MPA = MpaChoices.defaults();

    private final Queue<String> said = new ConcurrentLinkedQueue<>();

    private static ServerPlan server(TestKind kind, int sizeBytes, int depth, @Nullable String reject) {
        return new ServerPlan(kind, ANY_PORT, sizeBytes, depth, true, reject, 20, MPA, FpduSize.MSS);
    }

    private static ClientPlan client(TestKind kind, TestServer server, int sizeBytes, long count) {
        return client(kind, server.localAddress(), sizeBytes, count, 0, MPA);
    }

    private static ClientPlan client(
            TestKind kind, InetSocketAddress server, int sizeBytes, long count, long seconds, MpaChoices mpa) {
        int bytes = kind == TestKind.ATOMIC_LAT ? TestOperation.WORD_BYTES : sizeBytes;
        return new ClientPlan(kind, server, bytes, count, seconds, 16, 512, 1, 20, mpa);
    }

    private TestServer start(ServerPlan plan) throws Exception {
        return TestServer.start(plan, said::add);
    }

    private static Summary run(ClientPlan plan) throws Exception {
        return TestClient.run(plan, 0, line -> {});
    }

    private static boolean firstClient(TestServer server) throws Exception {
        return server.firstClient().get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void countOfMessages_ofEachKind_areDoneAndBothEndsSaySo(TestKind kind) throws Exception {
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            ClientPlan plan = client(kind, server, 10_000, 2000);
            Summary summary = run(plan);
            assertThat(summary.messages()).isEqualTo(2000);
            assertThat(summary.bytes()).isEqualTo(2000L * plan.sizeBytes());
            assertThat(summary.latenciesNanos().getTotalCount()).isEqualTo(2000);
            assertThat(summary.latenciesNanos().getMaxValue()).isPositive();
            assertThat(firstClient(server)).isTrue();
            assertThat(said).singleElement().asString().contains("2000").doesNotContain("failed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void secondClient_afterAFirst_isServedAsWell(TestKind kind) throws Exception {
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            run(client(kind, server, 100, 3));
            ClientPlan second = client(kind, server, 1 << 20, 3);
            assertThat(run(second).bytes()).isEqualTo(3L * second.sizeBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void crcRequired_messages_areDone(TestKind kind) throws Exception {
        MpaChoices crc = MPA.withCrcPolicy(CrcPolicy.REQUIRED);
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            assertThat(run(client(kind, server.localAddress(), 70_001, 10, 0, crc))
                            .messages())
                    .isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void secondsInsteadOfACount_moreIsDoneThanTheCount(TestKind kind) throws Exception {
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            Summary summary = run(client(kind, server.localAddress(), 64, 1, 1, MPA));
            assertThat(summary.messages()).isGreaterThan(1);
            assertThat(summary.elapsedNanos()).isGreaterThan(900_000_000);
        }
    }

    /**
     * There are more messages than receives. Without credits the 4th message would find no receive, and a Terminate
     * would end the test.
     */
    @Test
    void sends_moreThanTheServerHasReceives_waitForCredits() throws Exception {
        try (TestServer server = start(server(TestKind.SEND_BW, 1 << 20, 6, null))) {
            ClientPlan plan = new ClientPlan(TestKind.SEND_BW, server.localAddress(), 1000, 500, 0, 100, 6, 1, 20, MPA);
            assertThat(run(plan).messages()).isEqualTo(500);
            assertThat(firstClient(server)).isTrue();
            assertThat(said).singleElement().asString().contains("500 messages, 500000 bytes");
        }
    }

    /**
     * Like {@code ib_send_bw -n 4}: a client with few messages has at most that many outstanding, even if the server
     * has 512 receives.
     */
    @Test
    void sends_fewAtATimeToAServerOfManyReceives_getCreditsForEachFew() throws Exception {
        try (TestServer server = start(server(TestKind.SEND_BW, 1 << 20, 512, null))) {
            ClientPlan plan = new ClientPlan(TestKind.SEND_BW, server.localAddress(), 1000, 50, 0, 100, 4, 1, 20, MPA);
            assertThat(run(plan).messages()).isEqualTo(50);
            assertThat(firstClient(server)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
    void words_ofEachOperation_areDoneAndBothEndsSaySo(TestOperation operation) throws Exception {
        TestKind kind = operation == TestOperation.IMMEDIATE ? TestKind.SEND_LAT : TestKind.ATOMIC_LAT;
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            Summary summary =
                    run(client(kind, server, TestOperation.WORD_BYTES, 500).with(operation));
            assertThat(summary.messages()).isEqualTo(500);
            assertThat(summary.bytes()).isEqualTo(4000);
            assertThat(summary.latenciesNanos().getTotalCount()).isEqualTo(500);
            assertThat(firstClient(server)).isTrue();
            assertThat(said).singleElement().asString().contains("500").doesNotContain("failed");
        }
    }

    /** A word of another connection is none of ours, so each client finds that the word begins as 0. */
    @Test
    void words_ofASecondClient_beginAnew() throws Exception {
        try (TestServer server = start(server(TestKind.ATOMIC_LAT, TestOperation.WORD_BYTES, 512, null))) {
            ClientPlan plan = client(TestKind.ATOMIC_LAT, server, TestOperation.WORD_BYTES, 3);
            assertThat(run(plan).messages()).isEqualTo(3);
            assertThat(run(plan.with(TestOperation.COMPARE_SWAP)).messages()).isEqualTo(3);
        }
    }

    @Test
    void pings_onManyConnections_areDoneOnEach() throws Exception {
        try (TestServer server = start(server(TestKind.PING, 64 << 10, 512, null))) {
            Summary summary = run(new ClientPlan(
                    TestKind.PING, server.localAddress(), PingText.MAX_RPING_BYTES, 5, 0, 1, 512, 64, 20, MPA));
            assertThat(summary.messages()).isEqualTo(64 * 5);
        }
    }

    @Test
    void ping_countOfZero_connectsAndDisconnects() throws Exception {
        try (TestServer server = start(server(TestKind.PING, 64 << 10, 512, null))) {
            assertThat(run(client(TestKind.PING, server, 64, 0)).messages()).isZero();
            assertThat(server.firstClient()).isNotNull();
        }
    }

    @Test
    void ping_countOfZero_theServerMayLeaveFirst() throws Exception {
        try (IwarpTransport transport = TestTransport.open(MPA, FpduSize.MSS);
                Listener leaving = transport.listen(
                        ANY_PORT,
                        request -> request.accept(new ConnectOptions(ByteBuffer.allocate(0), 1, 1), new Leaving()))) {
            assertThat(run(client(TestKind.PING, leaving.localAddress(), 64, 0, 0, MPA))
                            .messages())
                    .isZero();
            assertThatThrownBy(() -> run(client(TestKind.PING, leaving.localAddress(), 64, 1, 0, MPA)))
                    .isInstanceOf(TestFailure.class);
        }
    }

    /** Disconnects after it has accepted. */
    private static final class Leaving implements QueuePairHandler {
        @Override
        public void created(QueuePair queuePair) {
            queuePair.execute(queuePair::disconnect);
        }

        @Override
        public void established(QueuePair queuePair) {}

        @Override
        public void completed(QueuePair queuePair, Completion completion) {}

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {}
    }

    @ParameterizedTest
    @EnumSource
    void server_thatRejects_clientSaysSo(TestKind kind) throws Exception {
        try (TestServer server = start(server(kind, 1 << 20, 512, "not today"))) {
            assertThatThrownBy(() -> run(client(kind, server, 64, 1)))
                    .isInstanceOf(TestFailure.class)
                    .hasMessageContaining("rejected");
            assertThat(said).anyMatch(line -> line.endsWith("refused"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void nobodyListens_clientSaysSo(TestKind kind) throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) socket.getLocalSocketAddress();
        }
        assertThatThrownBy(() -> run(client(kind, nobody, 64, 1, 0, MPA)))
                .isInstanceOf(TestFailure.class)
                .hasMessageContaining("cannot connect");
    }

    @ParameterizedTest
    @EnumSource
    void server_thatDies_endsTheTestWithWhatWasDone(TestKind kind) throws Exception {
        TestServer server = start(server(kind, 1 << 20, 512, null));
        CompletableFuture<Void> running = new CompletableFuture<>();
        List<Throwable> failures = new ArrayList<>();
        ClientPlan plan = client(kind, server.localAddress(), 4000, 1, 3600, MPA);
        Thread client = new Thread(() -> {
            try {
                TestClient.run(plan, 1, line -> running.complete(null));
            } catch (TestFailure | InterruptedException e) {
                failures.add(e);
            }
        });
        client.start();
        running.get(30, TimeUnit.SECONDS);
        server.close();
        client.join();
        assertThat(failures).singleElement().satisfies(failure -> assertThat(failure)
                .isInstanceOf(TestFailure.class)
                .hasMessageMatching(".*[1-9][0-9]* .*|.*clos.*"));
    }

    @ParameterizedTest
    @EnumSource
    void client_thatDies_isNoticedAndTheServerGoesOn(TestKind kind) throws Exception {
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            CompletableFuture<Void> running = new CompletableFuture<>();
            ClientPlan plan = client(kind, server.localAddress(), 4000, 1, 3600, MPA);
            Thread client = new Thread(() -> {
                try {
                    TestClient.run(plan, 1, line -> running.complete(null));
                } catch (TestFailure | InterruptedException e) {
                    running.completeExceptionally(e);
                }
            });
            client.start();
            running.get(30, TimeUnit.SECONDS);
            client.interrupt();
            client.join();
            // A ping server cannot distinguish a client that dies between two pings from one that has finished.
            assertThat(firstClient(server) && kind != TestKind.PING).isFalse();
            assertThat(run(client(kind, server, 64, 1)).messages()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void client_thatSpeaksAnotherProtocol_isEndedAndTheServerGoesOn(TestKind kind) throws Exception {
        TestKind other = kind == TestKind.PING ? TestKind.SEND_BW : TestKind.PING;
        try (TestServer server = start(server(kind, 1 << 20, 512, null))) {
            assertThatThrownBy(() -> run(client(other, server, 64, 1))).isInstanceOf(TestFailure.class);
            assertThat(firstClient(server)).isFalse();
            assertThat(run(client(kind, server, 64, 1)).messages()).isEqualTo(1);
        }
    }

    @Test
    void server_whoseMemoryIsForReading_endsWritesWithAFailure() throws Exception {
        try (TestServer server = start(server(TestKind.READ_BW, 1 << 20, 512, null))) {
            assertThatThrownBy(() -> run(client(TestKind.WRITE_BW, server, 64, 5)))
                    .isInstanceOf(TestFailure.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"PING", "ATOMIC_LAT"})
    void message_largerThanTheServerTakes_endsTheTestWithAFailure(TestKind kind) throws Exception {
        try (TestServer server = start(server(kind, 8192, 512, null))) {
            assertThatThrownBy(() -> run(client(kind, server, 8193, 2000))).isInstanceOf(TestFailure.class);
            assertThat(firstClient(server)).isFalse();
        }
    }

    @Test
    void ping_largerThanTheServerTakes_endsTheTestWithAFailure() throws Exception {
        try (TestServer server = start(server(TestKind.PING, 8192, 512, null))) {
            assertThatThrownBy(() -> run(client(TestKind.PING, server, 8193, 1)))
                    .isInstanceOf(TestFailure.class);
            assertThat(firstClient(server)).isFalse();
            assertThat(said).singleElement().asString().contains("8193").contains("8192");
        }
    }

    @Test
    void server_thatSaysNothing_isGivenUp() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ClientPlan plan = new ClientPlan(
                    TestKind.SEND_BW, (InetSocketAddress) silent.getLocalSocketAddress(), 64, 1, 0, 16, 512, 1, 1, MPA);
            assertThatThrownBy(() -> run(plan)).isInstanceOf(TestFailure.class).hasMessageContaining("nothing for 1 s");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TestKind.class,
            names = {"PING", "SEND_BW"})
    void server_clientThatSaysNothing_isGivenUp(TestKind kind) throws Exception {
        ServerPlan plan = new ServerPlan(kind, ANY_PORT, 64, 512, true, null, 1, MPA, FpduSize.MSS);
        try (TestServer server = start(plan);
                IwarpTransport transport = TestTransport.open(MPA, FpduSize.MSS)) {
            PerftestControl silent = new PerftestControl();
            transport
                    .connector()
                    .connect(server.localAddress(), new ConnectOptions(ByteBuffer.allocate(0), 0, 0), silent);
            assertThat(firstClient(server)).isFalse();
            assertThat(silent.ended()).isNotNull();
        }
    }

    @Test
    void server_bytesThatAreNoMpa_areRefusedAndTheServerGoesOn() throws Exception {
        try (TestServer server = start(server(TestKind.PING, 1 << 16, 512, null))) {
            try (Socket socket = new Socket(
                    server.localAddress().getAddress(), server.localAddress().getPort())) {
                socket.getOutputStream().write(new byte[100]);
                assertThat(socket.getInputStream().readAllBytes()).isNotNull();
            }
            assertThat(run(client(TestKind.PING, server, 64, 1)).messages()).isEqualTo(1);
        }
    }
}
