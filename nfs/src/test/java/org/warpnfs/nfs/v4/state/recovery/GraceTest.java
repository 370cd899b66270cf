package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

class GraceTest {
    private static final long LENGTH = TimeUnit.SECONDS.toNanos(10);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Opaque CLIENT = Opaque.of(new byte[] {1});

    private final long start = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private final FakeRecoveryLog log = new FakeRecoveryLog(CLIENT);
    private final RecoveryJournal written = new RecoveryJournal(log);
    private final Grace grace = new Grace(log, written, start, LENGTH);

    /** Whether the period is running, after the journal has had time to write its entries. */
    private boolean isRunning(long nowNanos) {
        grace.isRunning(nowNanos);
        written.flush();
        return grace.isRunning(nowNanos);
    }

    private void assertEnded() {
        assertThat(log.changes()).containsOnly(new RecoveryLog.Change.GraceEnded());
    }

    @Test
    void running_timeIsUp_isOverOnceTheJournalKnows() {
        assertThat(grace.isRunning(start + LENGTH)).as("noted, not written").isTrue();
        assertThat(log.changes()).isEmpty();

        written.flush();
        assertEnded();
        assertThat(grace.isRunning(start + LENGTH)).isFalse();
    }

    @Test
    void running_journalFails_goesOnUntilItIsWritten() {
        log.setFull(true);

        assertThat(isRunning(start + LENGTH)).isTrue();
        assertThat(isRunning(start + LENGTH + 1)).isTrue();

        log.setFull(false);
        assertThat(isRunning(start + LENGTH + 2)).isFalse();
        assertEnded();
    }

    @Test
    void running_nobodyReclaims_endsInTime() {
        assertThat(isRunning(start + LENGTH - 1)).isTrue();
        assertThat(isRunning(start + LENGTH)).isFalse();
        assertEnded();
    }

    @Test
    void running_oneReclaimsEarly_endsInTimeAllTheSame() {
        grace.prolong(start + SECOND);
        assertThat(isRunning(start + LENGTH)).isFalse();
    }

    @Test
    void running_oneReclaimsAtTheEnd_letsItGoOn() {
        grace.prolong(start + LENGTH - 1);

        assertThat(isRunning(start + LENGTH)).isTrue();
        assertThat(grace.mayReclaim(CLIENT)).isTrue();
        assertThat(isRunning(start + LENGTH + SECOND - 1)).isFalse();
    }

    @Test
    void running_oneReclaimsForEver_endsAfterAsLongAgain() {
        for (long now = start; now - start - 2 * LENGTH < 0; now += SECOND / 2) {
            assertThat(isRunning(now)).isTrue();
            grace.prolong(now);
        }
        assertThat(isRunning(start + 2 * LENGTH)).isFalse();
    }
}
