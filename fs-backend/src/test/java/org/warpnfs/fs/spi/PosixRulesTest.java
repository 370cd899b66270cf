package org.warpnfs.fs.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;

class PosixRulesTest {
    /** Times that ext4 keeps with inodes of 128 bytes, and XFS without large times: whole seconds of 31 bits. */
    @Test
    void verifier_inTimes_isKeptInWholeSecondsThatEveryFileSystemHas() {
        List<Long> verifiers = new ArrayList<>(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE));
        for (int bit = 0; bit < Long.SIZE; bit++) {
            verifiers.add(1L << bit);
            verifiers.add(0x8123_4567_89ab_cdefL ^ 1L << bit);
        }
        for (long verifier : verifiers) {
            for (Timestamp time : timesOf(verifier)) {
                assertThat(time.seconds()).as("%x", verifier).isBetween(0L, (1L << 31) - 1);
                assertThat(time.nanos()).as("%x", verifier).isZero();
            }
        }
    }

    @Test
    void verifier_anyBitOther_hasOtherTimes() {
        long verifier = 0x8123_4567_89ab_cdefL;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat(timesOf(verifier ^ 1L << bit)).as("bit %d", bit).isNotEqualTo(timesOf(verifier));
        }
    }

    private static List<Timestamp> timesOf(long verifier) {
        AttributeChanges changes = PosixRules.withVerifier(new CreateMode.Exclusive(verifier, AttributeChanges.NONE));
        return List.of(((TimeChange.To) changes.accessTime()).time(), ((TimeChange.To) changes.modifyTime()).time());
    }
}
