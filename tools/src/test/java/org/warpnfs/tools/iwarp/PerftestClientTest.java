package org.warpnfs.tools.iwarp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.limits.FpduSize;

/** The server does not listen yet, or no longer listens, when the client makes the second connection. */
@Timeout(60)
class PerftestClientTest {
    private static final MpaChoices MPA = MpaChoices.defaults();
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final AtomicInteger connects = new AtomicInteger();

    private static TestServer server(TestKind kind) throws Exception {
        return TestServer.start(
                new ServerPlan(kind, ANY_PORT, 8192, 512, true, null, 20, MPA, FpduSize.MSS), line -> {});
    }

    private static InetSocketAddress nobody() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        }
    }

    /** Connects to another address after the first connection. */
    private Connector diverting(Connector connector, int diverted, InetSocketAddress elsewhere) {
        return (remote, options, handler) -> {
            int number = connects.incrementAndGet();
            connector.connect(number > 1 && number <= 1 + diverted ? elsewhere : remote, options, handler);
        };
    }

    private static Summary run(TestKind kind, InetSocketAddress server, Connector connector) throws Exception {
        int sizeBytes = kind == TestKind.ATOMIC_LAT ? TestOperation.WORD_BYTES : 1000;
        ClientPlan plan = new ClientPlan(kind, server, sizeBytes, 10, 0, 16, 512, 1, 20, MPA);
        return new PerftestClient(plan, connector, new Progress(0, 20, line -> {}), 0).run();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PING")
    void load_refusedAFewTimes_isTriedAgainUntilTheServerListens(TestKind kind) throws Exception {
        try (TestServer server = server(kind);
                IwarpTransport transport = TestTransport.open(MPA, FpduSize.MSS)) {
            Connector connector = diverting(transport.connector(), 3, nobody());
            assertThat(run(kind, server.localAddress(), connector).messages()).isEqualTo(10);
            assertThat(connects).hasValue(1 + 3 + 1);
        }
    }

    @Test
    void load_refusedForGood_failsAfterItsTries() throws Exception {
        try (TestServer server = server(TestKind.SEND_LAT);
                IwarpTransport transport = TestTransport.open(MPA, FpduSize.MSS)) {
            Connector connector = diverting(transport.connector(), Integer.MAX_VALUE - 1, nobody());
            assertThatThrownBy(() -> run(TestKind.SEND_LAT, server.localAddress(), connector))
                    .isInstanceOf(TestFailure.class)
                    .hasMessageContaining("cannot connect")
                    .hasMessageContaining("for the load");
            assertThat(connects).hasValue(1 + PerftestClient.CONNECT_TRIES);
        }
    }

    /**
     * A server that rejects a connection is present and would reject the next one too, so the client does not retry.
     */
    @Test
    void load_rejected_isNotTriedAgain() throws Exception {
        ServerPlan rejecting = new ServerPlan(TestKind.SEND_BW, ANY_PORT, 8192, 512, true, "no", 20, MPA, FpduSize.MSS);
        try (TestServer server = server(TestKind.SEND_BW);
                TestServer other = TestServer.start(rejecting, line -> {});
                IwarpTransport transport = TestTransport.open(MPA, FpduSize.MSS)) {
            Connector connector = diverting(transport.connector(), 1, other.localAddress());
            assertThatThrownBy(() -> run(TestKind.SEND_BW, server.localAddress(), connector))
                    .isInstanceOf(TestFailure.class)
                    .hasMessageContaining("rejected");
            assertThat(connects).hasValue(2);
        }
    }
}
