package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.http.HttpService;
import picocli.CommandLine;

class ProbeCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private void assertSays(String line) {
        assertThat(out.toString().lines()).containsExactly(line);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void probe_serverThatRuns_succeedsUntilItIsGone() throws Exception {
        WatchedServer server =
                WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), "127.0.0.1:0");
        String[] described = server.describe().getFirst().split(" +", 3);
        assertThat(described[0]).isEqualTo("http");
        String http = "--http=" + described[1];
        try (server) {
            assertThat(run("probe", http)).isZero();
            assertSays("ready");
            assertThat(run("probe", http, "--alive")).isZero();
            assertSays("alive");
            assertThat(run("probe", http, "--deep")).isZero();
            assertSays("ready: NULL and GETATTR answered over TCP and RDMA");
            server.server().close();
            assertThat(run("probe", http)).isEqualTo(Main.FAILURE);
            assertSays("draining");
        }
        assertThat(run("probe", http)).isEqualTo(Main.FAILURE);
        assertThat(out.toString()).startsWith("no answer from 127.0.0.1:").hasLineCount(1);
    }

    /** Peers that keep all connections of HTTP for themselves make no supervisor end the server. */
    @Test
    void probe_connectionsAreAllTaken_serverIsAliveAndNotReady() throws Exception {
        try (WatchedServer server =
                WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), "127.0.0.1:0")) {
            String address = server.describe().getFirst().split(" +", 3)[1];
            InetSocketAddress http = Objects.requireNonNull(HttpAddress.parse(address));
            List<Socket> idle = new ArrayList<>();
            for (int i = 0; i < HttpService.MAX_CONNECTIONS; i++) {
                idle.add(new Socket(http.getAddress(), http.getPort()));
            }
            try {
                assertThat(run("probe", "--http=" + address, "--alive")).isZero();
                assertThat(out.toString()).startsWith("alive: ").hasLineCount(1);
                assertThat(run("probe", "--http=" + address)).isEqualTo(Main.FAILURE);
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"9049", "localhost", "host:x", "host:70000", "::1:9049", "no.such.host.invalid:1"})
    void address_thatMakesNoSense_isNamed(String address) {
        assertThat(run("probe", "--http", address)).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).startsWith("warpnfs: --http " + address).hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1:80,127.0.0.1", "[::1]:80,::1", ":80,0.0.0.0", "*:80,0.0.0.0"})
    void address_isUnderstood(String text, String host) throws Exception {
        assertThat(HttpAddress.parse(text))
                .extracting(InetSocketAddress::getAddress)
                .isEqualTo(
                        host.equals("0.0.0.0") ? new InetSocketAddress(80).getAddress() : InetAddress.getByName(host));
        assertThat(HttpAddress.parse("off")).isNull();
    }

    @Test
    void address_inUse_stopsTheStartOnlyWhereItWasAskedFor() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String http = "127.0.0.1:" + busy.getLocalPort();
            assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                            ConfigException.class,
                            () -> WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), http)))
                    .hasMessageStartingWith("--http " + http);
        }
        try (WatchedServer first = WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), null);
                WatchedServer second =
                        WatchedServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), null)) {
            assertThat(second.describe()).isEmpty();
            assertThat(first.server().tcpAddress()).isNotEqualTo(second.server().tcpAddress());
        }
    }
}
