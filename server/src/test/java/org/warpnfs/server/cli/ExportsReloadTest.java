package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ServerConfig;

/**
 * A reload of exports that hangs, for example on a name service or a disk, or that fails. Others that ask for a reload
 * wait only for a limited time.
 */
@Timeout(300)
class ExportsReloadTest {
    @Test
    void look_failsByABug_looksOn() throws Exception {
        ServerConfig config = InMemory.config(":/", 16 << 20, Duration.ofSeconds(5));
        ServerConfig other = InMemory.config(":/other", 16 << 20, Duration.ofSeconds(5));
        int[] looks = {0};
        try (WarpServer server = WarpServer.start(config)) {
            ExportsReload reload = new ExportsReload(server, () -> {
                if (looks[0]++ == 0) {
                    throw new IllegalArgumentException("a bug");
                }
                return new ExportsReload.Wanted(List.copyOf(other.exports()), other.identities());
            });
            reload.look();
            reload.look();
            assertThat(server.exports()).hasSize(1);
            assertThat(server.exports().getFirst().path()).hasToString("/other");
        }
    }

    @Test
    void reload_whileAnotherHangs_isRefusedAndTheNextIsDone() throws Exception {
        ServerConfig config = InMemory.config(":/", 16 << 20, Duration.ofSeconds(5));
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        try (WarpServer server = WarpServer.start(config)) {
            ExportsReload reload = new ExportsReload(
                    server,
                    () -> {
                        hangs.countDown();
                        try {
                            answered.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return new ExportsReload.Wanted(List.copyOf(config.exports()), config.identities());
                    },
                    Duration.ofMillis(50));
            Thread first = Thread.ofPlatform().daemon().start(reload::run);
            hangs.await();
            assertThatThrownBy(reload::report)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("another reload is still under way");
            answered.countDown();
            first.join();
            assertThat(reload.report()).isEmpty();
        }
    }
}
