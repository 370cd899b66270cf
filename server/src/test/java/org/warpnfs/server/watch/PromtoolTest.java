package org.warpnfs.server.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.http.HttpGet;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.testkit.NamedTests;

/** Prometheus' own promtool checks the rules and an answer to a scrape. Skipped where promtool is not installed. */
@Timeout(300)
class PromtoolTest {
    @TempDir
    Path directory;

    private String promtool(Path input, String... arguments) throws Exception {
        ProcessBuilder tool = new ProcessBuilder("promtool");
        tool.command().addAll(List.of(arguments));
        Process process;
        try {
            process =
                    tool.redirectErrorStream(true).redirectInput(input.toFile()).start();
        } catch (IOException e) {
            assumeTrue(false, "no promtool");
            throw e;
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + "\n" + said;
    }

    @Test
    void rules_areGood() throws Exception {
        Path rules =
                Files.writeString(directory.resolve("rules.yml"), NamedTests.read("deploy", "prometheus/rules.yml"));
        assertThat(promtool(rules, "check", "rules", rules.toString()))
                .startsWith("0\n")
                .contains("SUCCESS");
    }

    @Test
    void scrape_isGood() throws Exception {
        try (Watch watch = Watch.start("1.2.3", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                WarpServer server = WarpServer.start(
                        InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)),
                        ServerLimits.DEFAULT,
                        watch.recorder())) {
            watch.serves(server);
            assertThat(HttpGet.of(watch.address(), "/readyz?deep").status()).isEqualTo(200);
            Path metrics = Files.writeString(
                    directory.resolve("metrics"),
                    HttpGet.of(watch.address(), "/metrics").text());
            assertThat(promtool(metrics, "check", "metrics")).isEqualTo("0\n");
        }
    }
}
