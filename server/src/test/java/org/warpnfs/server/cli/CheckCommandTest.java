package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.settings.SettingIndex;
import org.warpnfs.server.settings.SettingsSchema;
import picocli.CommandLine;

/** {@code check} prints what {@code serve} would do, or all mistakes. It changes nothing. */
class CheckCommandTest {
    @TempDir
    private Path directory;

    private Path export;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void makeExport() throws Exception {
        export = Files.createDirectory(directory.resolve("export"));
    }

    private int check(String... arguments) {
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(
                Stream.concat(Stream.of("check"), Stream.of(arguments)).toArray(String[]::new));
    }

    private String file(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private String state() {
        return directory.resolve("state").toString();
    }

    /** Returns the columns of the lines that list settings. */
    private List<List<String>> rows() {
        return out.toString()
                .lines()
                .map(line -> List.of(line.split(" {2,}", -1)))
                .toList();
    }

    @Test
    void identity_isSaid_andRefusedWhereTheBackendKeepsOwnersItself() throws Exception {
        assertThat(check("--export", export + ":/,identity=one", "--state", state()))
                .isZero();
        assertThat(out.toString()).contains("at /  rw,all_squash,identity=one  (");
        assertThat(check("--export", ":/,identity=mapped", "--backend", "memory"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("identity= is for directories of this host");
    }

    @Test
    void transports_offOrContradicted_areSaid() throws Exception {
        assertThat(check("--export", export + ":/", "--state", state(), "--rdma-port", "off", "--tcp-port", "off"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("one of them must be served");
        assertThat(check("--export", export + ":/,transport=rdma", "--state", state(), "--rdma-port", "off"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("export /: transport=rdma, which is off (--rdma-port)");
        assertThat(check("--export", export + ":/", "--state", state(), "--tcp-port", "off", "--mount-udp"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("tcpPort, which is off");
        assertThat(out.toString()).isEmpty();
        assertThat(check("--export", export + ":/", "--state", state(), "--rdma-port", "off"))
                .isZero();
        assertThat(rows()).anySatisfy(row -> assertThat(row).startsWith("rdmaPort", "off"));
    }

    @Test
    void secureExport_reachableByRdma_isWarnedOf() throws Exception {
        assertThat(check("--export", export + ":/,secure", "--state", state())).isZero();
        assertThat(out.toString()).contains("warning secure does not hold over RDMA", " in /.");
        assertThat(check("--export", export + ":/,secure,transport=tcp", "--state", state(), "--json"))
                .isZero();
        assertThat(out.toString()).contains("\"warning\": \"\"").contains("secure,transport=tcp");
    }

    @Test
    void allIsWell_everySettingIsSaidWithItsValueAndOrigin() throws Exception {
        String file = file(
                "w.yaml",
                "export: " + export + ":/,ro,crossmnt\nlease: 60\nlimits:\n  connections:\n    most: 100\n  memory:\n"
                        + "    payloadBytes: 64m\n");
        assertThat(check("--config", file, "--state", state(), "--payload-memory", "32m"))
                .as(err.toString())
                .isZero();
        assertThat(rows())
                .contains(
                        List.of("lease", "60s", file + ":2:1"),
                        List.of("limits.connections.most", "100", file + ":5:5"),
                        List.of(
                                "limits.connections.ofClient",
                                "100",
                                "default, as far as limits.connections.most allows"),
                        List.of("limits.memory.payloadBytes", "32m bytes", "--payload-memory"),
                        List.of("limits.deadlines.leastBytesPerSecond", "32k bytes/s", "default"),
                        List.of("tcpPort", "2049", "default"));
        assertThat(out.toString())
                .contains("export  " + export + " at /  ro,root_squash,crossmnt  (" + file + ":1)\n")
                .contains("\nlimits  100 connections over RDMA and over TCP each; ")
                .endsWith("\nok\n");
        assertThat(rows().stream().map(List::getFirst))
                .containsAll(SettingIndex.ALL.stream().map(Object::toString).toList());
        assertThat(directory.resolve("state")).doesNotExist();
    }

    @Test
    void exportsFiles_areSaidWithTheirClients() throws Exception {
        String exports = file("exports", export + "  192.0.2.0/24(rw)  @trusted(ro,insecure)\n");
        assertThat(check("--exports", exports, "--state", state())).isZero();
        assertThat(out.toString())
                .contains("export  " + export + " at " + export
                        + "  192.0.2.0/24(rw,root_squash,secure) @trusted(ro,root_squash)  (" + exports + ":1)\n");
    }

    /** The file that the Debian package installs has only comments until somebody edits it. */
    @Test
    void exportsFiles_withoutAnExport_areSaidToHaveNone() throws Exception {
        assertThat(check("--exports", file("exports", "# /srv/nfs *(rw)\n"), "--state", state()))
                .isZero();
        assertThat(out.toString()).contains("\nexport  none: clients find nothing to mount\n");
    }

    @Test
    void manyMistakes_areAllSaid() throws Exception {
        Path plain = Files.createFile(directory.resolve("plain"));
        String exports = file(
                "exports",
                "/nowhere/at/all *(rw)\n" + plain + " *(rw)\n" + export + " *(rx)\n" + export + " *(fsid=x)\n");
        String file = file("w.yaml", "colour: red\nexports: " + exports + "\nstate: " + plain + "\nhttp: here\n");
        assertThat(check("--config", file, "--listen", "no.such.host.invalid", "--lease", "0"))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines())
                .allSatisfy(line -> assertThat(line).startsWith("warpnfs: "))
                .anySatisfy(line -> assertThat(line).contains(file + ":1:1: unknown key 'colour'"))
                .contains("warpnfs: --lease 0: not within 1s..3600s")
                .anySatisfy(line -> assertThat(line).contains(exports + ":3: unknown option 'rx'"))
                .anySatisfy(line -> assertThat(line).contains(exports + ":4: option 'fsid=x'"))
                .contains("warpnfs: " + file + ":3:1: state: " + plain + ": is not a directory")
                .contains("warpnfs: " + file + ":4:1: http here: not ADDR:PORT, nor off")
                .contains("warpnfs: --listen no.such.host.invalid: no such host")
                .hasSize(7);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void paths_thatNoFileCanHave_areMistakesOfTheirPlaces() throws Exception {
        String exports = file("exports", "/srv/\\000x *(rw)\n");
        String file = file(
                "w.yaml",
                "state: \"a\\0b\"\nidMap: \"m\\0\"\nexport: [\"/srv/\\0x\"]\nexports: [\"e\\0\", \"" + exports
                        + "\"]\n");
        assertThat(check("--config", file)).isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines())
                .allSatisfy(line ->
                        assertThat(line).startsWith("warpnfs: ").contains("is not a path: it contains a zero byte"))
                .anySatisfy(line -> assertThat(line).contains(file + ":1:1: state: a?b"))
                .anySatisfy(line -> assertThat(line).contains(file + ":2:1: idMap: m?"))
                .anySatisfy(line -> assertThat(line).contains("/srv/?x"));
    }

    /** The JDK says of both only that it does not know such a host. */
    @Test
    void listen_linkLocalAddressWithoutItsLink_saysWhatIsMissing() {
        assertThat(check("--export", export.toString(), "--listen", "fe80::1%nolink"))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("--listen fe80::1%nolink: there is no interface 'nolink'");
        assertThat(check("--export", export.toString(), "--listen", "fe80::1%lo"))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("--listen fe80::1%lo: the interface 'lo' has no link-local address");
    }

    @Test
    void files_thatNeverEnd_areNotRead() throws Exception {
        for (String option : List.of("--config", "--exports", "--id-map")) {
            assertThat(check(option, "/dev/zero")).as(option).isEqualTo(Main.FAILURE);
            assertThat(err.toString()).as(option).contains("/dev/zero: is longer than");
        }
    }

    @Test
    void mistake_ofTextThatWouldMoveTheCursor_doesNot() throws Exception {
        String file = file("w.yaml", "rdmaPort: \"\\e[2J\\u009b1m\"\n");
        assertThat(check("--config", file)).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("rdmaPort ?[2J?1m: not a whole number");
    }

    @Test
    void secret_ofAUrl_isNotShown() {
        for (String url :
                List.of("http://user:s3cret@127.0.0.1:4318", "ftp://s3cret@127.0.0.1", "http://user:s3 cret@h")) {
            assertThat(check("--export", export.toString(), "--state", state(), "--otlp", url, "--json"))
                    .as(url)
                    .isEqualTo(Main.FAILURE);
        }
        assertThat(out.toString() + err)
                .doesNotContain("cret")
                .contains("--otlp http://...@127.0.0.1:4318: the URL contains");
    }

    @Test
    void admin_whereNoSocketCanBe_isAMistake() {
        String missing = directory.resolve("missing").toString();
        for (String admin : List.of("/", directory.toString(), missing + "/a.sock")) {
            assertThat(check("--export", export.toString(), "--state", state(), "--admin", admin))
                    .as(admin)
                    .isEqualTo(Main.FAILURE);
        }
        assertThat(err.toString())
                .contains("--admin /: is a directory")
                .contains("a.sock: there is no directory " + missing);
        for (String admin : List.of(
                "off",
                state() + "/admin/admin.sock",
                directory.resolve("a.sock").toString())) {
            assertThat(check("--export", export.toString(), "--state", state(), "--admin", admin))
                    .as(admin)
                    .isZero();
        }
    }

    @Test
    void config_empty_isAMistake() {
        assertThat(check("--config", "")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("warpnfs: --config: is empty");
    }

    @Test
    void directories_thatAreNone_areNamedWithTheirLines() throws Exception {
        Path plain = Files.createFile(directory.resolve("plain"));
        String file = file(
                "w.yaml",
                "export:\n  - /nowhere/at/all\n  - " + plain + "\n  - " + export + ":/a\n  - " + export + ":/a,ro\n"
                        + "  - " + export + ":/b,fsid=7\n  - " + export + ":/c,fsid=7\n  - /not/yet,mountpoint\n");
        assertThat(check("--config", file, "--state", state())).isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines())
                .containsExactly(
                        "warpnfs: " + file + ":2: /nowhere/at/all: there is no such directory",
                        "warpnfs: " + file + ":3: " + plain + ": is not a directory",
                        "warpnfs: " + file + ":5: /a is already the path of an export (" + file + ":4)",
                        "warpnfs: " + file + ":7: fsid=7 is already used by " + file + ":6");
    }

    @Test
    void portOfHttp_thatOfNfs_namesBoth() {
        assertThat(check("--export", export.toString(), "--state", state(), "--tcp-port", "9049"))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines())
                .containsExactly(
                        "warpnfs: tcpPort 9049 (--tcp-port) and http 127.0.0.1:9049 (default) are the same port");
    }

    @Test
    void budgets_thatDoNotFit_areSaid() throws Exception {
        String file = file("w.yaml", "limits: {state: {clients: 16m}}\n");
        assertThat(check("--config", file)).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("limits.state.clients 16m: not a whole number");
        err.getBuffer().setLength(0);
        assertThat(check(
                        "--config",
                        file("w2.yaml", "limits: {state: {sessions: 16777216, keptReplyBytes: 64k}}\n"),
                        "--backend",
                        "memory"))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString()).contains("is below the minimum, ", "raise -Xmx");
    }

    @Test
    void busyPort_isNotLookedAt() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(check("--backend", "memory", "--tcp-port", Integer.toString(busy.getLocalPort())))
                    .isZero();
        }
    }

    @Test
    void json_hasTheSame_withTheMistakes() throws Exception {
        String file = file("w.yaml", "lease: 60\nexport: [" + export + "]\n");
        assertThat(check("--json", "--config", file, "--state", state())).isZero();
        JsonNode report = new ObjectMapper().readTree(out.toString());
        assertThat(report.get("ok").asBoolean()).isTrue();
        assertThat(report.get("settings")).hasSize(SettingIndex.ALL.size()).anySatisfy(row -> {
            assertThat(row.get("key").asText()).isEqualTo("lease");
            assertThat(row.get("value").asLong()).isEqualTo(60_000);
            assertThat(row.get("unit").asText()).isEqualTo("ms");
            assertThat(row.get("from").asText()).isEqualTo(file + ":1:1");
        });
        assertThat(report.get("exports")
                        .get(0)
                        .get("clients")
                        .get(0)
                        .get("clients")
                        .asText())
                .isEqualTo("*");
        out.getBuffer().setLength(0);
        assertThat(check("--json", "--lease", "0")).isEqualTo(Main.FAILURE);
        JsonNode wrong = new ObjectMapper().readTree(out.toString());
        assertThat(wrong.get("ok").asBoolean()).isFalse();
        assertThat(wrong.get("mistakes"))
                .anySatisfy(mistake -> assertThat(mistake.asText()).isEqualTo("--lease 0: not within 1s..3600s"));
    }

    @Test
    void schema_isPrinted() {
        assertThat(check("--schema")).isZero();
        assertThat(out.toString()).isEqualTo(SettingsSchema.text());
    }

    @Test
    void serve_saysAllMistakesToo_andStartsNothing() throws Exception {
        String file = file("w.yaml", "lease: 0\ncolour: red\n");
        CommandLine commandLine = Main.commandLine();
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        assertThat(commandLine.execute("serve", "--config", file, "--state", state()))
                .isEqualTo(Main.FAILURE);
        assertThat(err.toString().lines()).hasSize(2);
        assertThat(directory.resolve("state")).doesNotExist();
    }

    @Test
    void optionThatIsThereOrNot_isSwitchedOffAgain() throws Exception {
        String file = file("w.yaml", "markers: true\nbackend: memory\n");
        assertThat(check("--config", file, "--markers=false"))
                .as(err.toString())
                .isZero();
        assertThat(rows()).contains(List.of("markers", "false", "--markers"));
    }
}
