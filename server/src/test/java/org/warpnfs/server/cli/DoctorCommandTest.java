package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import picocli.CommandLine;

/** {@code doctor} on the host that runs the test, whatever it finds there. */
class DoctorCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    @Test
    void client_withAServer_hearsFromItOverRdmaAndTcp() throws Exception {
        try (WarpServer server = WarpServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)))) {
            run(
                    "doctor",
                    "--server",
                    "127.0.0.1:" + server.rdmaAddress().getPort(),
                    "--tcp-port",
                    server.tcpAddress().getPort() + "");
            assertThat(out.toString())
                    .containsPattern("(ok|warn) +rdma +NULL of NFS at 127.0.0.1 port \\d+ takes \\d+ us")
                    .containsPattern("(ok|warn) +tcp +NULL of NFS at 127.0.0.1 port \\d+ takes \\d+ us")
                    .contains("mount.nfs");
            assertThat(err.toString()).isEmpty();
        }
    }

    @Test
    void server_thatIsNone_failsWithARemedy() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        assertThat(run("doctor", "server", "--server", "127.0.0.1:" + closed, "--tcp-port", closed + ""))
                .isEqualTo(Main.FAILURE);
        assertThat(out.toString())
                .contains("fail  rdma          no connection to 127.0.0.1 port " + closed)
                .contains("-> nft add rule")
                .contains("capabilities");
    }

    @Test
    void server_withPortsThatAreOff_hearsNothingOfThem(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("warpnfs.yaml"), "rdmaPort: off\nhttp: off\n");
        run("doctor", "server", "--config", file.toString());
        assertThat(out.toString())
                .contains("ok    rdma port     off")
                .contains("ok    http port     off")
                .containsPattern("tcp port +2049 ");
        run("doctor", "server", "--config", file.toString(), "--rdma-port", "0", "--tcp-port", "off");
        assertThat(out.toString())
                .contains("ok    rdma port     any free port")
                .contains("ok    tcp port      off")
                .doesNotContain("rpcbind");
    }

    @Test
    void client_ofAServerWithOneTransport_triesNoOther() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        run("doctor", "--server", "127.0.0.1", "--rdma-port", "off", "--tcp-port", closed + "");
        assertThat(out.toString())
                .contains("no connection to 127.0.0.1 port " + closed)
                .doesNotContain("20049")
                .doesNotContain("siw");
        run("doctor", "--server", "127.0.0.1:" + closed, "--tcp-port", "off");
        assertThat(out.toString())
                .contains("no connection to 127.0.0.1 port " + closed)
                .doesNotContain(" 2049 ");
    }

    @Test
    void server_withPlugins_listsBackendsAndWhatCannotBeLoaded(@TempDir Path directory) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path jar = Files.writeString(directory.resolve("a.jar"), "not a jar");
        // A server in this process may have set the umask to 0.
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run("doctor", "server", "--plugins", directory.toString())).isEqualTo(Main.FAILURE);
        assertThat(out.toString())
                .contains("ok    backend       built in: local, memory")
                .contains("fail  backend       " + directory + "/a.jar: is not a jar: ")
                .contains("-> mend it, or move it out of " + directory);
    }

    @Test
    void json_isOneObject(@TempDir Path directory) throws Exception {
        run("doctor", "server", "--json", "--state", directory.toString());
        assertThat(out.toString())
                .contains("\"findings\"")
                .contains("\"subject\"")
                .contains("\"kernel\"");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).as("nothing is left behind").isEmpty();
        }
    }

    /** Without a setting it is the directory that {@code serve} would use. Root and other users have different ones. */
    @Test
    void state_ofAServer_isWhereServeHasIt() throws Exception {
        run("doctor", "server", "--json");
        assertThat(out.toString()).contains("\"says\": \"" + StateHome.ofServer(System.getenv()) + " ");
        Map<String, String> environment = Map.of("WARPNFS_STATE", "/state", "XDG_STATE_HOME", "/home/me/state");
        assertThat(StateHome.ofServer(environment)).isEqualTo(Path.of("/state"));
        assertThat(StateHome.ofServer(Map.of("WARPNFS_STATE", ""))).isEqualTo(StateHome.usual(Map.of()));
    }

    @Test
    void port_thatIsNone_isNamed() {
        for (String port : List.of("0", "-1", "65536", "99999")) {
            assertThat(run("doctor", "--server", "127.0.0.1", "--tcp-port", port))
                    .isEqualTo(Main.FAILURE);
            assertThat(err.toString())
                    .startsWith("warpnfs: --tcp-port " + port + ": ")
                    .hasLineCount(1);
        }
        assertThat(run("doctor", "--server", "127.0.0.1:0")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).startsWith("warpnfs: --server 127.0.0.1:0: ").hasLineCount(1);
    }

    @Test
    void words_thatMakeNoSense_areNamed() {
        assertThat(run("doctor", "--server", "host:x")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).startsWith("warpnfs: --server host:x: ").hasLineCount(1);
        assertThat(run("doctor", "--server", "no.such.host.invalid")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("no such host").hasLineCount(1);
        assertThat(run("doctor", "patient")).isEqualTo(Main.USAGE_ERROR);
    }
}
