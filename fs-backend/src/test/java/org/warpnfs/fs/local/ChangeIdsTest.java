package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.fs.local.libc.Statx;

/** Change ids under a clock that is set back. */
class ChangeIdsTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private long clock = 1_000_000 * HOUR;

    private static Statx changedAt(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        int rest = (int) (nanos - TimeUnit.SECONDS.toNanos(seconds));
        return new Statx(0100644, 1, 0, 0, 7, 0, 0, 0, 0, 0, 0, false, seconds, rest, 0, 0, 8, 1, 42, 3);
    }

    /** Changes the file through the server, and returns the new number. */
    private long change(ChangeIds ids, long tickNanos) {
        clock += tickNanos;
        Statx now = changedAt(clock);
        ids.changed(now);
        return ids.of(now);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4_000_000, 1_000_000_000})
    void clockSetBack_serverGoesOn_eachChangeHasAHigherNumber(long tickNanos) {
        ChangeIds ids = new ChangeIds(() -> clock);
        long last = change(ids, tickNanos);
        for (int i = 0; i < 100; i++) {
            if (i == 50) {
                clock -= 2 * HOUR;
            }
            long next = change(ids, tickNanos);
            assertThat(next).isGreaterThan(last);
            last = next;
        }
    }

    /** Numbers fall, which is why no order is promised; but no state has the number of another. */
    @Test
    void clockSetBack_serverStartsAnew_numbersFallAndAreNeverUsedTwice() {
        Set<Long> seen = new HashSet<>();
        long highest = Long.MIN_VALUE;
        long first = 0;
        for (int start = 0; start < 3; start++) {
            ChangeIds ids = new ChangeIds(() -> clock);
            for (int i = 0; i < 100; i++) {
                long next = change(ids, 4_000_000);
                first = i == 0 ? next : first;
                assertThat(seen.add(next)).as("start %d, change %d", start, i).isTrue();
                highest = Math.max(highest, next);
            }
            clock -= HOUR;
        }
        assertThat(first).isLessThan(highest);
    }
}
