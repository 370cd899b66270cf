package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteRangeLocksTest {
    private static final int BYTES = 24;
    private static final int OWNERS = 3;
    private static final int MANY = 100_000;

    @Test
    void locks_randomOnesTaken_areAsAModelByteByByteSays() throws LocksBusyException {
        for (long seed = 0; seed < 80; seed++) {
            Random random = new Random(seed);
            ByteRangeLocks<Integer> locks = new ByteRangeLocks<>();
            // 0 none, 1 shared, 2 exclusive, by owner and byte
            int[][] model = new int[OWNERS][BYTES];
            for (int step = 0; step < 60; step++) {
                int owner = random.nextInt(OWNERS);
                int first = random.nextInt(BYTES);
                int last = first + random.nextInt(BYTES - first);
                ByteRange range = new ByteRange(first, last);
                int kind = random.nextInt(3);
                if (kind == 0) {
                    locks.unlock(owner, range);
                    fill(model[owner], first, last, 0);
                } else {
                    boolean free = locks.conflict(owner, kind == 2, range) == null;
                    assertThat(free)
                            .as("seed %d step %d", seed, step)
                            .isEqualTo(isFree(model, owner, kind, first, last));
                    if (free) {
                        locks.lock(owner, kind == 2, range);
                        fill(model[owner], first, last, kind);
                    }
                }
                assertThat(locks.size())
                        .as("seed %d step %d: joined", seed, step)
                        .isEqualTo(runs(model));
                probe(locks, model, seed, step);
                for (int one = 0; one < OWNERS; one++) {
                    assertThat(locks.covers(one, true, range))
                            .as("seed %d step %d: %s of %d", seed, step, range, one)
                            .isEqualTo(hasAll(model[one], 2, first, last));
                    assertThat(locks.covers(one, false, range))
                            .as("seed %d step %d: %s of %d", seed, step, range, one)
                            .isEqualTo(hasAll(model[one], 1, first, last));
                }
            }
        }
    }

    private static boolean hasAll(int[] bytes, int kind, int first, int last) {
        for (int i = first; i <= last; i++) {
            if (bytes[i] < kind) {
                return false;
            }
        }
        return true;
    }

    @Test
    void covers_locksOfBothKindsInTurn_looksAtFewOfThem() {
        for (int pieces : new int[] {256, 257}) {
            ByteRangeLocks<String> locks = new ByteRangeLocks<>();
            for (int at = 0; at < pieces; at++) {
                locks.lock("a", at % 2 == 0, new ByteRange(at, at));
            }
            assertThat(locks.size()).isEqualTo(pieces);
            assertThat(locks.covers("a", false, new ByteRange(0, pieces - 1))).isEqualTo(pieces == 256);
            assertThat(locks.covers("a", false, new ByteRange(1, 256))).isEqualTo(pieces == 257);
        }
    }

    private static void probe(ByteRangeLocks<Integer> locks, int[][] model, long seed, int step)
            throws LocksBusyException {
        for (int at = 0; at < BYTES; at++) {
            ByteRange one = new ByteRange(at, at);
            for (int owner = 0; owner < OWNERS; owner++) {
                assertThat(locks.conflict(owner, true, one) == null)
                        .as("seed %d step %d byte %d", seed, step, at)
                        .isEqualTo(isFree(model, owner, 2, at, at));
                assertThat(locks.conflict(owner, false, one) == null)
                        .as("seed %d step %d byte %d", seed, step, at)
                        .isEqualTo(isFree(model, owner, 1, at, at));
            }
        }
    }

    private static void fill(int[] bytes, int first, int last, int kind) {
        for (int i = first; i <= last; i++) {
            bytes[i] = kind;
        }
    }

    private static boolean isFree(int[][] model, int owner, int kind, int first, int last) {
        for (int other = 0; other < OWNERS; other++) {
            for (int i = first; other != owner && i <= last; i++) {
                if (model[other][i] == 2 || (model[other][i] == 1 && kind == 2)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int runs(int[][] model) {
        int runs = 0;
        for (int[] bytes : model) {
            int before = 0;
            for (int kind : bytes) {
                runs += kind != 0 && kind != before ? 1 : 0;
                before = kind;
            }
        }
        return runs;
    }

    @Test
    void range_toTheEndOfAllFiles_isUnsigned() throws LocksBusyException {
        ByteRange all = ByteRange.of(0, -1).orElseThrow();

        assertThat(all.length()).isEqualTo(-1);

        ByteRange high = ByteRange.of(-16, 15).orElseThrow();
        assertThat(high.overlaps(all)).isTrue();
        assertThat(high.last()).isEqualTo(-2);
        assertThat(ByteRange.of(-16, 16)).as("the sum is 2^64").isEmpty();
        assertThat(ByteRange.of(-16, 17)).isEmpty();
        assertThat(ByteRange.of(-1, -1).orElseThrow().length()).isEqualTo(-1);
        assertThat(ByteRange.of(5, 0)).isEmpty();

        ByteRangeLocks<String> locks = new ByteRangeLocks<>();
        locks.lock("a", true, all);
        locks.unlock("a", new ByteRange(10, -1));
        assertThat(locks.conflict("b", false, new ByteRange(10, -1))).isNull();
        assertThat(locks.conflict("b", false, new ByteRange(9, 9))).isNotNull();
        assertThat(locks.holds("a")).isTrue();

        locks.unlockAll("a");
        assertThat(locks.isEmpty()).isTrue();
    }

    @Test
    void conflict_manyLocksOfTheAsker_looksAtFewOfThem() throws LocksBusyException {
        ByteRangeLocks<String> locks = new ByteRangeLocks<>();
        for (long i = 0; i < MANY; i++) {
            locks.lock("hog", (i & 1) == 0, new ByteRange(3 * i, 3 * i));
        }
        long last = 3L * MANY;
        locks.lock("other", false, new ByteRange(last, last));

        assertThat(locks.size()).isEqualTo(MANY + 1);

        long before = locks.visited();
        assertThat(locks.conflict("hog", true, new ByteRange(0, last - 1))).isNull();
        assertThat(locks.conflict("hog", true, new ByteRange(0, -1)))
                .isEqualTo(new ByteRangeLocks.Held<>("other", false, new ByteRange(last, last)));
        assertThat(locks.conflict("other", false, new ByteRange(MANY, MANY + 1)))
                .isNull();
        assertThat(locks.visited() - before).isLessThan(1000);
    }

    @Test
    void unlockAll_manyLocks_countForNothingAtOnceAndGoLittleByLittle() throws LocksBusyException {
        ByteRangeLocks<String> locks = new ByteRangeLocks<>();
        for (long i = 0; i < MANY; i++) {
            locks.lock("hog", true, new ByteRange(2 * i, 2 * i));
        }
        locks.unlock("hog", new ByteRange(0, -1));

        assertThat(locks.isEmpty()).isTrue();
        assertThat(locks.holds("hog")).isFalse();

        ByteRange far = new ByteRange(2L * MANY - 2, 2L * MANY - 2);
        assertThat(locks.conflict("other", true, far)).isNull();

        locks.lock("other", true, far);
        assertThat(locks.conflict("hog", false, far)).isNotNull();

        int asked = 0;
        ByteRange all = new ByteRange(0, 2L * MANY - 4);
        while (true) {
            try {
                assertThat(locks.conflict("other", true, all)).isNull();
                break;
            } catch (LocksBusyException e) {
                assertThat(++asked).as("fewer are in the way each time").isLessThan(MANY / 4000 + 1);
            }
        }
        assertThat(locks.size()).isEqualTo(1);
    }

    @Test
    void conflict_ownerIsGone_standsInNobodysWay() throws LocksBusyException {
        ByteRangeLocks<String> locks = new ByteRangeLocks<>("gone"::equals);
        locks.lock("gone", true, new ByteRange(0, 9));
        locks.lock("there", true, new ByteRange(20, 29));

        assertThat(locks.conflict("new", true, new ByteRange(5, 15))).isNull();
        assertThat(locks.conflict("new", true, new ByteRange(5, 25))).isNotNull();
        assertThat(locks.size()).isEqualTo(1);
    }
}
