package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;

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
    private final Grace grace = new Grace(journal, start, LENGTH);

    @Test
    void running_nobodyReclaims_endsInTime() {
        assertThat(grace.isRunning(start + LENGTH - 1)).isTrue();
        assertThat(grace.isRunning(start + LENGTH)).isFalse();
        assertThat(journal.ended).isTrue();
    }

    @Test
    void running_oneReclaimsEarly_endsInTimeAllTheSame() {
        grace.prolong(start + SECOND);
        assertThat(grace.isRunning(start + LENGTH)).isFalse();
    }

    @Test
    void running_oneReclaimsAtTheEnd_letsItGoOn() {
        grace.prolong(start + LENGTH - 1);
        assertThat(grace.isRunning(start + LENGTH)).isTrue();
        assertThat(grace.mayReclaim(CLIENT)).isTrue();
        assertThat(grace.isRunning(start + LENGTH + SECOND - 1)).isFalse();
    }

    @Test
    void running_oneReclaimsForEver_endsAfterAsLongAgain() {
        for (long now = start; now - start - 2 * LENGTH < 0; now += SECOND / 2) {
            assertThat(grace.isRunning(now)).isTrue();
            grace.prolong(now);
        }
        assertThat(grace.isRunning(start + 2 * LENGTH)).isFalse();
    }

    private static final class Journal implements RecoveryLog {
        boolean ended;

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
        public void add(Opaque clientOwner) {
            throw new AssertionError("nobody has state");
        }

        @Override
        public void remove(Opaque clientOwner) {
            throw new AssertionError("nobody goes");
        }

        @Override
        public void endGrace() {
            ended = true;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
