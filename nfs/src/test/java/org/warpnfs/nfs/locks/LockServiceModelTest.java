package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.ANN;
import static org.warpnfs.nfs.locks.NamedLocks.NO_RELEASE;
import static org.warpnfs.nfs.locks.NamedLocks.file;
import static org.warpnfs.nfs.locks.NamedLocks.owner;
import static org.warpnfs.nfs.locks.NamedLocks.range;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileIdentity;

class LockServiceModelTest {
    private static final int BYTES = 12;
    private static final int OWNERS = 4;
    private static final int FILES = 2;

    /** A byte-by-byte model of held locks; who waits is granted at the latest when nothing held conflicts. */
    @Test
    void locksAndWaits_random_areAsAModelByteByByteSays() throws LocksBusyException {
        for (long seed = 0; seed < 200; seed++) {
            new Model(seed).run();
        }
    }

    private static final class Model {
        final long seed;
        final Random random;
        final List<Runnable> notices = new ArrayList<>();
        final LockService service = new LockService(1000, notices::add);
        /** 0 none, 1 shared, 2 exclusive, by file, owner and byte. */
        final int[][][] bytes = new int[FILES][OWNERS][BYTES];

        final List<Request> line = new ArrayList<>();

        record Request(int file, int owner, boolean exclusive, int first, int last) {}

        Model(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() throws LocksBusyException {
            for (int step = 0; step < 80; step++) {
                int first = random.nextInt(BYTES);
                Request next = new Request(
                        random.nextInt(FILES),
                        random.nextInt(OWNERS),
                        random.nextBoolean(),
                        first,
                        first + random.nextInt(BYTES - first));
                step(next, random.nextInt(6));
                notices.forEach(Runnable::run);
                notices.clear();
                check(step);
            }
        }

        private void step(Request next, int what) throws LocksBusyException {
            FileIdentity file = file(next.file);
            Locker owner = owner("o" + next.owner);
            ByteRange range = range(next.first, next.last);
            switch (what) {
                case 0, 1 -> {
                    service.unlock(file, owner, range, NO_RELEASE);
                    fill(next, 0);
                }
                case 2 -> {
                    LockAttempt got = service.lock(LockedFile.here(file), owner, next.exclusive, range);
                    assertThat(got.isGranted()).as("seed %d: %s", seed, next).isEqualTo(isFree(next));
                    if (got.isGranted()) {
                        fill(next, kind(next));
                    }
                }
                case 3, 4 -> {
                    LockAttempt got = service.lockOrWait(
                            LockedFile.here(file), owner, next.exclusive, range, ANN, () -> granted(next));
                    switch (got.outcome()) {
                        case GRANTED -> {
                            assertThat(isFree(next))
                                    .as("seed %d: %s", seed, next)
                                    .isTrue();
                            line.remove(next);
                            fill(next, kind(next));
                        }
                        case WAITING -> {
                            if (!line.contains(next)) {
                                line.add(next);
                            }
                        }
                        case DEADLOCK ->
                            assertThat(isFree(next))
                                    .as("seed %d: %s", seed, next)
                                    .isFalse();
                        case DENIED, HELD_BACK, NO_ROOM, RESERVED, BUSY, CANCELLED, FAILED ->
                            throw new AssertionError("seed " + seed + ": " + got);
                    }
                }
                default ->
                    assertThat(service.cancel(file, owner, next.exclusive, range))
                            .as("seed %d: %s", seed, next)
                            .isEqualTo(line.remove(next));
            }
        }

        private void granted(Request request) {
            assertThat(line.remove(request)).as("seed %d: %s", seed, request).isTrue();
            assertThat(isFree(request)).as("seed %d: %s", seed, request).isTrue();
            fill(request, kind(request));
        }

        private void check(int step) throws LocksBusyException {
            assertThat(service.waiting()).as("seed %d step %d", seed, step).isEqualTo(line.size());
            if (!line.isEmpty()) {
                boolean firstIsFree = isFree(line.getFirst());
                assertThat(firstIsFree)
                        .as("seed %d step %d: the first in line waits for a held lock", seed, step)
                        .isFalse();
            }
            for (int file = 0; file < FILES; file++) {
                for (int at = 0; at < BYTES; at++) {
                    Request probe = new Request(file, random.nextInt(OWNERS), random.nextBoolean(), at, at);
                    assertThat(service.conflict(file(file), owner("o" + probe.owner), probe.exclusive, range(at, at))
                                    == null)
                            .as("seed %d step %d byte %d", seed, step, at)
                            .isEqualTo(isFree(probe));
                }
            }
        }

        private static int kind(Request request) {
            return request.exclusive ? 2 : 1;
        }

        private void fill(Request request, int kind) {
            for (int i = request.first; i <= request.last; i++) {
                bytes[request.file][request.owner][i] = kind;
            }
        }

        private boolean isFree(Request request) {
            for (int other = 0; other < OWNERS; other++) {
                for (int i = request.first; other != request.owner && i <= request.last; i++) {
                    int held = bytes[request.file][other][i];
                    if (held == 2 || (held == 1 && request.exclusive)) {
                        return false;
                    }
                }
            }
            return true;
        }
    }
}
