package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The kernel counts suspended time in /proc/uptime, in hundredths of a second. */
class BootClockTest {
    private static final long HUNDREDTH_NANOS = 10_000_000;

    private static long uptimeNanos() throws IOException {
        String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
        return new BigDecimal(seconds).movePointRight(9).longValueExact();
    }

    @Test
    void time_isTheUptimeOfTheHost_withTheTimeThatItWasSuspended() throws Exception {
        long before = uptimeNanos();
        long now = BootClock.nanos();
        long after = uptimeNanos();
        assertThat(now).isBetween(before, after + HUNDREDTH_NANOS);
    }
}
