package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.admin.AdminFixture;
import org.warpnfs.server.admin.AdminServer;
import org.warpnfs.server.admin.Administered;
import org.warpnfs.server.admin.StateHolder;
import org.warpnfs.server.config.ConfigException;
import picocli.CommandLine;

/** The commands that administer a running server, from their arguments to their output. */
@Timeout(300)
class AdminCommandsTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Runs a command and returns its exit status. Its output is in {@link #out} and {@link #err}. */
    private int run(Path socket, String... words) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        List<String> all = new ArrayList<>(Arrays.asList(words));
        all.addAll(List.of("--admin", socket.toString()));
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return line.execute(all.toArray(String[]::new));
    }

    @Test
    void tables_ofAServerInUse_showWhatClientsHold() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(1, "holder").introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(holder.lock("locker", 0, 100)).isZero();
            for (String command : List.of(
                    "status",
                    "clients",
                    "sessions",
                    "opens",
                    "locks",
                    "delegations",
                    "connections",
                    "exports",
                    "loglevel")) {
                assertThat(run(fixture.socket(), command))
                        .as("%s: %s", command, err)
                        .isZero();
                assertThat(out.toString()).as(command).isNotBlank();
                assertThat(run(fixture.socket(), command, "--json")).as(command).isZero();
                assertThat(new ObjectMapper().readTree(out.toString()).isContainerNode())
                        .as(command)
                        .isTrue();
            }
            assertThat(run(fixture.socket(), "clients")).isZero();
            assertThat(out.toString()).contains("CLIENT", holder.id(), "4.1+", "active", "holder");
            assertThat(run(fixture.socket(), "locks", "--client", holder.id())).isZero();
            assertThat(out.toString()).contains("write 0-99", "locker");
            assertThat(run(fixture.socket(), "opens", "--client", "1")).isZero();
            assertThat(out.toString().lines()).as("the titles alone").hasSize(1);
            assertThat(run(fixture.socket(), "connections", "--limit", "1")).isZero();
            assertThat(out.toString()).contains("tcp 127.0.0.1:");
        }
    }

    @Test
    void limit_fewerThanThereAre_saysThatThereAreMore() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder _ = fixture.holder(1, "one").introduced();
                StateHolder _ = fixture.holder(1, "two").introduced()) {
            assertThat(run(fixture.socket(), "clients", "--limit", "1")).isZero();
            assertThat(out.toString().lines()).hasSize(3);
            assertThat(out.toString()).contains("there are more");
        }
    }

    @Test
    void actions_printWhatTheyDid() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder holder = fixture.holder(1, "holder").introduced()) {
            assertThat(holder.open("file")).isZero();
            assertThat(holder.lock("locker", 0, 100)).isZero();
            assertThat(run(fixture.socket(), "unlock", "--client", holder.id())).isZero();
            assertThat(out.toString()).contains("write 0-99", "1 taken away");
            assertThat(run(fixture.socket(), "evict", holder.id())).isZero();
            assertThat(out.toString()).contains("(holder, 127.0.0.1) is evicted: 1 sessions, 1 opens");
            assertThat(run(fixture.socket(), "grace", "end")).isZero();
            assertThat(out.toString()).contains("no grace period was running");
            assertThat(run(fixture.socket(), "reload")).isZero();
            assertThat(out.toString()).contains("nothing has changed");
            assertThat(run(fixture.socket(), "drain", "--wait", "-1")).isEqualTo(Main.FAILURE);
            assertThat(err.toString()).isEqualTo("warpnfs: --wait -1: below 0\n");
            assertThat(run(fixture.socket(), "drain", "--after", "-1")).isEqualTo(Main.FAILURE);
            assertThat(run(fixture.socket(), "status")).isZero();
            assertThat(out.toString()).doesNotContain("draining");
            assertThat(run(fixture.socket(), "drain", "--after", "1", "--wait", "30"))
                    .isZero();
            assertThat(out.toString()).contains("drained");
        }
    }

    @Test
    void reload_refused_saysAllThatIsWrongAndFails() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory);
                AdminServer refusing = AdminServer.start(
                        directory.resolve("refusing.sock"), new Administered(fixture.server, fixture.watch, () -> {
                            throw new ConfigException(List.of("exports:1: one mistake", "exports:2: another"));
                        }))) {
            assertThat(run(refusing.path(), "reload")).isEqualTo(Main.FAILURE);
            assertThat(err.toString()).isEqualTo("warpnfs: exports:1: one mistake\nwarpnfs: exports:2: another\n");
        }
    }

    @Test
    void loglevel_ofALogger_isSetAndShown() throws Exception {
        try (AdminFixture fixture = new AdminFixture(directory)) {
            assertThat(run(fixture.socket(), "loglevel", "org.warpnfs.tried", "debug"))
                    .isZero();
            assertThat(out.toString()).isEqualTo("org.warpnfs.tried debug\n");
            assertThat(run(fixture.socket(), "loglevel", "org.warpnfs.tried")).isZero();
            assertThat(out.toString()).isEqualTo("org.warpnfs.tried debug\n");
            assertThat(run(fixture.socket(), "loglevel", "org.warpnfs.tried", "inherited"))
                    .isZero();
            assertThat(run(fixture.socket(), "loglevel", "org.warpnfs.tried", "loud"))
                    .isEqualTo(Main.FAILURE);
            assertThat(err.toString()).startsWith("warpnfs: no such level: loud");
        }
    }

    @Test
    void command_whereNoServerIs_saysSo() {
        assertThat(run(directory.resolve("none"), "status")).isEqualTo(Main.FAILURE);
        assertThat(err.toString()).startsWith("warpnfs: no server answers at " + directory.resolve("none"));
    }

    @Test
    void place_comesFromOptionThenVariableThenStateDirectory() throws Exception {
        AdminPlace place = new AdminPlace();
        assertThat(place.path(Map.of("WARPNFS_ADMIN", "/run/a.sock"))).isEqualTo(Path.of("/run/a.sock"));
        assertThat(place.path(Map.of("WARPNFS_STATE", directory.toString())))
                .isEqualTo(directory.resolve("admin.sock"));
        assertThatThrownBy(() -> place.path(Map.of("WARPNFS_ADMIN", "off")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("WARPNFS_ADMIN is off");
        assertThat(place.path(Map.of())).isEqualTo(StateHome.usual(Map.of()).resolve("admin.sock"));
        new CommandLine(place).parseArgs("--admin", "/run/b.sock");
        assertThat(place.path(Map.of("WARPNFS_ADMIN", "/run/a.sock"))).isEqualTo(Path.of("/run/b.sock"));
    }

    /** The list of clients that may mount is not cut off, because it is the purpose of this command. */
    @Test
    void exports_ofManyClients_areShownToTheEnd() throws Exception {
        String clients = "first.example.com(rw,root_squash) " + "192.0.2.0/24(ro,all_squash) ".repeat(10) + "@last(ro)";
        StringWriter shown = new StringWriter();
        new AdminCommands.Exports()
                .print(
                        new ObjectMapper()
                                .valueToTree(Map.of(
                                        "rows", List.of(Map.of("path", "/srv", "source", "/srv", "clients", clients)))),
                        new PrintWriter(shown, true));
        assertThat(shown.toString().lines()).last().asString().isEqualTo("/srv    /srv    " + clients);
    }

    @Test
    void changes_ofAReload_areShownToTheEnd() throws Exception {
        String change = "/srv/first: " + "192.0.2.0/24(ro,all_squash) ".repeat(10) + "@last(ro)";
        StringWriter shown = new StringWriter();
        new AdminCommands.Reload()
                .print(
                        new ObjectMapper().valueToTree(Map.of("changes", List.of(change))),
                        new PrintWriter(shown, true));
        assertThat(shown.toString().lines()).containsExactly(change);
    }

    @Test
    void cell_thatAClientNamed_movesNoCursor() {
        assertThat(Table.clean("a\u001b[2Jb\nc\u202ed")).isEqualTo("a?[2Jb?c?d");
        assertThat(Table.clean("x".repeat(100))).hasSize(80).startsWith("...");
    }
}
