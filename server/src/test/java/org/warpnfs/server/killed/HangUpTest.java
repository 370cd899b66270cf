package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.NullCall;

/** SIGHUP to a server process that has no exports files. */
class HangUpTest {
    private static final int DEADLINE_SECONDS = 60;

    @TempDir
    Path base;

    @Test
    void hangUp_withoutExportsFiles_isSaidInTheLogAndTheServerGoesOn() throws Exception {
        ServerProcess server = new ServerProcess(
                new ServerProcess.Plan(
                        (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid"),
                        5,
                        Files.createDirectory(base.resolve("export")),
                        base.resolve("state"),
                        System.getProperty("java.class.path")),
                base.resolve("log"));
        server.start();
        try {
            server.awaitReady();
            server.hangUp();
            long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            while (!server.output().contains("nothing to read again") && System.nanoTime() - deadlineNanos < 0) {
                Thread.sleep(10);
            }
            assertThat(server.output())
                    .contains(
                            "SIGHUP: without --exports, --id-map or --tls-certificate there is nothing to read again");
            NullCall.ask(server.tcp(), Duration.ofSeconds(DEADLINE_SECONDS));
        } finally {
            server.kill();
        }
    }
}
