package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

class GraceTest {
    private static final long LENGTH = TimeUnit.SECONDS.toNanos(10);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Opaque CLIENT = Opaque.of(new byte[] {1});

    private final long start = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private final Journal journal = new Journal();
    private final RecoveryJournal written = new RecoveryJournal(journal);
    private final Grace grace = new Grace(journal, written, start, LENGTH);

    /** What is asked after the journal has had time to write what it was told. */
    private boolean isRunning(long nowNanos) {
        grace.isRunning(nowNanos);
        written.flush();
        return grace.isRunning(nowNanos);
    }

    @Test
    void running_timeIsUp_isOverOnceTheJournalKnows() {
        assertThat(grace.isRunning(start + LENGTH)).as("noted, not written").isTrue();
        assertThat(journal.ended).isFalse();
        written.flush();
        assertThat(journal.ended).isTrue();
        assertThat(grace.isRunning(start + LENGTH)).isFalse();
    }

    @Test
    void running_journalFails_goesOnUntilItIsWritten() {
        journal.fails = true;
        assertThat(isRunning(start + LENGTH)).isTrue();
        assertThat(isRunning(start + LENGTH + 1)).isTrue();
        journal.fails = false;
        assertThat(isRunning(start + LENGTH + 2)).isFalse();
        assertThat(journal.ended).isTrue();
    }

    @Test
    void running_nobodyReclaims_endsInTime() {
        assertThat(isRunning(start + LENGTH - 1)).isTrue();
        assertThat(isRunning(start + LENGTH)).isFalse();
        assertThat(journal.ended).isTrue();
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

    private static final class Journal implements RecoveryLog {
        boolean ended;
        boolean fails;

        @Override
        public int instance() {
            return 1;
        }

        @Override
        public byte[] serverIdentity() {
            return new byte[16];
        }

        @Override
        public Set<Opaque> reclaimers() {
            return Set.of(CLIENT);
        }

        @Override
        public void write(List<Change> changes) throws IOException {
            assertThat(changes).containsOnly(new Change.GraceEnded());
            if (fails) {
                throw new IOException("no space");
            }
            ended = true;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
