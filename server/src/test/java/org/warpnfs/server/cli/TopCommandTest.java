package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.admin.AdminFixture;
import org.warpnfs.server.admin.StateHolder;

/** The output of {@code warpnfs top}, and the state in which it leaves a terminal. */
@Timeout(300)
class TopCommandTest {
    private static final int DEADLINE_SECONDS = 60;

    @TempDir
    Path directory;

    private static JsonNode activity(long seconds, long calls, long reads, long nanosOfOne, long clientCalls)
            throws Exception {
        return new ObjectMapper().readTree("""
                        {"nanos": %d,
                         "operations": [
                           {"level":"call","program":"nfs","version":"4.1","operation":"COMPOUND","transport":"rdma","count":%2$d,"nanos":1,"errors":0},
                           {"level":"operation","program":"nfs","version":"4.1","operation":"READ","transport":"rdma","count":%3$d,"nanos":%4$d,"errors":2},
                           {"level":"operation","program":"nfs","version":"4.1","operation":"READ","transport":"tcp","count":%2$d,"nanos":%5$d,"errors":0},
                           {"level":"operation","program":"nfs","version":"4.1","operation":"OPEN","transport":"rdma","count":7,"nanos":1,"errors":0}],
                         "transports": {"rdma": {"connections":3,"calls":%2$d,"nanos":%5$d,"receivedBytes":0,"sentBytes":%6$d}},
                         "clients": [{"client":"192.0.2.7","connections":2,"calls":%7$d},{"client":"192.0.2.8","connections":1,"calls":1}],
                         "pressure": [{"name":"payload memory","used":1048576,"limit":4194304,"bytes":true}],
                         "waiting": {"short lane":0,"data lane":5}}""".formatted(
                        seconds * 1_000_000_000,
                        calls,
                        reads,
                        reads * nanosOfOne,
                        calls * nanosOfOne,
                        calls * 1_000_000,
                        clientCalls));
    }

    @Test
    void frame_ofTwoLooks_hasRatesAndMeans() throws Exception {
        List<String> lines = new TopFrame(activity(10, 100, 50, 500_000, 10), activity(12, 300, 250, 500_000, 30))
                .lines("title", 40);
        assertThat(String.join("\n", lines)).isEqualTo("""
                        title

                        TRANSPORT       CONNS      OPS/S    MB/S IN   MB/S OUT     AVG MS
                        rdma                3      100.0       0.00     100.00      0.500

                        payload memory          1.0 of 4.0 MiB  25 %
                        waiting: short lane 0; data lane 5

                        PROGRAM VERSION OPERATION            TRANSPORT      OPS/S     AVG MS      ERR/S
                        nfs     4.1     READ                 rdma           100.0      0.500        0.0
                        nfs     4.1     READ                 tcp            100.0      0.500        0.0

                        CLIENT                                             CONNS      OPS/S
                        192.0.2.7                                              2       10.0
                        192.0.2.8                                              1        0.0""");
    }

    @Test
    void frame_ofAServerThatBeganAnew_countsNothingBackwards() throws Exception {
        List<String> lines = new TopFrame(activity(10, 100, 50, 5, 10), activity(12, 3, 2, 5, 1)).lines("title", 40);
        assertThat(lines).noneMatch(line -> line.contains("-1") || line.contains("NaN"));
        assertThat(new TopFrame(activity(10, 1, 1, 1, 1), activity(10, 1, 1, 1, 1)).lines("title", 40))
                .as("one look")
                .noneMatch(line -> line.contains("NaN") || line.contains("Infinity"));
    }

    @Test
    void frame_onALowTerminal_isCutAtItsEnd() throws Exception {
        for (int lines = 1; lines < 20; lines++) {
            assertThat(new TopFrame(activity(1, 1, 1, 1, 1), activity(2, 2, 2, 2, 2)).lines("title", lines))
                    .hasSizeLessThanOrEqualTo(lines);
        }
    }

    @Test
    void screen_ofATerminal_isRefreshedInPlaceAndRestored() {
        StringWriter terminal = new StringWriter();
        try (Screen screen = new Screen(new PrintWriter(terminal), true)) {
            screen.show(List.of("a", "b"));
            screen.show(List.of("c"));
        }
        assertThat(terminal.toString())
                .isEqualTo(Screen.BEGIN + "\u001b[Ha\u001b[K\nb\u001b[K\u001b[J\u001b[Hc\u001b[K\u001b[J" + Screen.END);
    }

    @Test
    void screen_thatWasRestored_showsNothingMore() {
        StringWriter terminal = new StringWriter();
        Screen screen = new Screen(new PrintWriter(terminal), true);
        screen.close();
        screen.show(List.of("late"));
        screen.close();
        assertThat(terminal.toString()).isEqualTo(Screen.BEGIN + Screen.END);
    }

    @Test
    void screen_ofNoTerminal_isPlainText() {
        StringWriter file = new StringWriter();
        try (Screen screen = new Screen(new PrintWriter(file), false)) {
            screen.show(List.of("a", "b"));
            screen.show(List.of("c"));
        }
        assertThat(file.toString()).isEqualTo("a\nb\n\nc\n");
    }

    @Test
    void top_whileTheServerIsReplaced_goesOn() throws Exception {
        StringWriter out = new StringWriter();
        AdminFixture before = new AdminFixture(directory);
        FutureTask<Integer> top = new FutureTask<>(() -> Main.commandLine()
                .setOut(new PrintWriter(out))
                .execute("top", "--interval", "0.1", "--admin", before.socket().toString()));
        Thread watching = Thread.ofPlatform().daemon().start(top);
        try {
            try (before) {
                awaitText(out, "TRANSPORT");
            }
            awaitText(out, "no server answers");
            int missed = out.toString().length();
            try (AdminFixture _ = new AdminFixture(directory)) {
                long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
                while (!out.toString().substring(missed).contains("TRANSPORT")
                        && System.nanoTime() - deadlineNanos < 0) {
                    Thread.sleep(10);
                }
                assertThat(out.toString().substring(missed)).contains("TRANSPORT");
            }
        } finally {
            watching.interrupt();
            watching.join(TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
        }
        assertThat(watching.isAlive()).isFalse();
    }

    private static void awaitText(StringWriter out, String text) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!out.toString().contains(text) && System.nanoTime() - deadlineNanos < 0) {
            Thread.sleep(10);
        }
        assertThat(out.toString()).contains(text);
    }

    @Test
    void top_ofAServer_endsAfterItsCount() throws Exception {
        StringWriter out = new StringWriter();
        try (AdminFixture fixture = new AdminFixture(directory);
                StateHolder _ = fixture.holder(1, "holder").introduced()) {
            int status = Main.commandLine()
                    .setOut(new PrintWriter(out))
                    .execute(
                            "top",
                            "--count",
                            "2",
                            "--interval",
                            "0.1",
                            "--admin",
                            fixture.socket().toString());
            assertThat(status).isZero();
        }
        assertThat(out.toString().lines().filter(line -> line.startsWith("warpnfs top")))
                .hasSize(2);
        assertThat(out.toString())
                .contains("TRANSPORT", "rdma ", "tcp ", "127.0.0.1")
                .doesNotContain("\u001b");
    }
}
