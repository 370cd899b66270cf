package org.warpnfs.fs.ceph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.OwnerLocks;

/** Ranges of one owner, compared with a table of bytes. */
class HeldRangesTest {
    @Test
    void ranges_atRandom_areThoseOfATableOfBytes() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int bytes = 40;
        int[] kinds = new int[bytes];
        HeldRanges ranges = new HeldRanges();
        for (int step = 0; step < 20_000; step++) {
            int first = random.nextInt(bytes);
            int last = first + random.nextInt(bytes - first);
            int kind = random.nextInt(3);
            long end = last == bytes - 1 ? OwnerLocks.TO_EOF : last;
            if (kind == 0) {
                ranges.remove(first, end);
            } else {
                ranges.add(kind == 2, first, end);
            }
            for (int at = first; at <= last; at++) {
                kinds[at] = kind;
            }
            int[] found = new int[bytes];
            for (HeldRanges.Range each : ranges.all()) {
                for (int at = (int) each.first(); at <= Math.min(each.last(), bytes - 1); at++) {
                    assertThat(found[at])
                            .as("seed %d, step %d: twice", seed, step)
                            .isZero();
                    found[at] = each.exclusive() ? 2 : 1;
                }
            }
            assertThat(found).as("seed %d, step %d", seed, step).isEqualTo(kinds);
            assertThat(ranges.all().size()).isLessThanOrEqualTo(bytes);
        }
    }
}
