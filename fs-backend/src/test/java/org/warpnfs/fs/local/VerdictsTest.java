package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.OpenAccess;

class VerdictsTest {
    private static final Caller ANN = new Caller(1000, 1000, List.of());
    private static final long NOW = 1_000_000;

    private final Verdicts verdicts = new Verdicts(Clock.fixed(Instant.ofEpochSecond(NOW), ZoneOffset.UTC));

    private static Statx changedAt(long seconds, int nanos) {
        return new Statx(0100644, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, false, seconds, nanos, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void verdict_noted_holdsForThatCallerAndAccessUntilTheFileChanges() {
        Statx file = changedAt(NOW - 10, 5);
        assertThat(verdicts.permit(ANN, OpenAccess.READ, file)).isFalse();

        verdicts.note(ANN, OpenAccess.READ, file);

        assertThat(verdicts.permit(ANN, OpenAccess.READ, file)).isTrue();
        assertThat(verdicts.permit(ANN, OpenAccess.WRITE, file)).isFalse();
        assertThat(verdicts.permit(new Caller(1000, 1000, List.of(7L)), OpenAccess.READ, file))
                .as("other groups")
                .isFalse();
        assertThat(verdicts.permit(ANN, OpenAccess.READ, changedAt(NOW - 10, 6)))
                .isFalse();
        assertThat(verdicts.permit(ANN, OpenAccess.READ, changedAt(NOW, 5))).isFalse();
    }

    @Test
    void verdict_onAFileJustChanged_isNotKept() {
        for (long seconds : new long[] {NOW - 1, NOW, NOW + 100}) {
            Statx file = changedAt(seconds, 0);
            verdicts.note(ANN, OpenAccess.READ, file);
            assertThat(verdicts.permit(ANN, OpenAccess.READ, file)).isFalse();
        }
    }

    @Test
    void verdicts_onAnOlderState_endWithTheNewOne() {
        Statx before = changedAt(NOW - 20, 0);
        Statx after = changedAt(NOW - 10, 0);
        verdicts.note(ANN, OpenAccess.READ, before);
        verdicts.note(ANN, OpenAccess.WRITE, after);
        assertThat(verdicts.permit(ANN, OpenAccess.READ, after)).isFalse();
        assertThat(verdicts.permit(ANN, OpenAccess.WRITE, after)).isTrue();
    }

    @Test
    void verdicts_ofManyCallers_areBounded() {
        Statx file = changedAt(NOW - 10, 0);
        for (int uid = 1; uid <= 100; uid++) {
            verdicts.note(new Caller(uid, uid, List.of()), OpenAccess.READ, file);
        }
        long kept = 0;
        for (int uid = 1; uid <= 100; uid++) {
            kept += verdicts.permit(new Caller(uid, uid, List.of()), OpenAccess.READ, file) ? 1 : 0;
        }
        assertThat(kept).isEqualTo(8);
    }
}
