package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OwnerLocks;

/** Byte-range locks of owners, which conflict with those of others and never with their own. */
@Needs(Capability.LOCKS)
public abstract class LockContract extends ContractFixture {
    private static final long END = OwnerLocks.TO_EOF;

    private FileHandle file;

    @BeforeEach
    void create() throws Exception {
        file = file(root, "locked");
    }

    private OwnerLocks owner() throws FsException {
        return fs.openLocks(file, OpenAccess.READ_WRITE);
    }

    private static void locks(OwnerLocks owner, boolean exclusive, long first, long last) throws FsException {
        assertThat(owner.tryLock(exclusive, first, last)).isEmpty();
    }

    private static void denied(OwnerLocks owner, boolean exclusive, long first, long last, OwnerLocks.Holder holder)
            throws FsException {
        assertThat(owner.test(exclusive, first, last).map(LockContract::withoutProcess))
                .contains(holder);
        assertThat(owner.tryLock(exclusive, first, last).map(LockContract::withoutProcess))
                .contains(holder);
    }

    private static OwnerLocks.Holder withoutProcess(OwnerLocks.Holder holder) {
        return new OwnerLocks.Holder(holder.exclusive(), holder.first(), holder.last(), 0);
    }

    private static OwnerLocks.Holder held(boolean exclusive, long first, long last) {
        return new OwnerLocks.Holder(exclusive, first, last, 0);
    }

    @Test
    void exclusiveLock_ofOneOwner_keepsOthersOut() throws Exception {
        try (OwnerLocks one = owner();
                OwnerLocks other = owner()) {
            locks(one, true, 10, 19);
            denied(other, true, 0, END, held(true, 10, 19));
            denied(other, false, 19, 30, held(true, 10, 19));
            locks(other, true, 0, 9);
            locks(other, true, 20, END);
            locks(one, true, 10, 19);
            denied(one, false, 0, 0, held(true, 0, 9));
        }
    }

    @Test
    void sharedLocks_ofTwoOwners_keepExclusiveOnesOut() throws Exception {
        try (OwnerLocks one = owner();
                OwnerLocks other = owner()) {
            locks(one, false, 0, END);
            locks(other, false, 5, 5);
            denied(other, true, 5, 5, held(false, 0, END));
            assertThat(other.test(false, 5, 5)).isEmpty();
            one.unlock(5, 5);
            locks(other, true, 5, 5);
            denied(one, false, 0, END, held(true, 5, 5));
        }
    }

    @Test
    void unlock_inTheMiddle_leavesTheRest() throws Exception {
        try (OwnerLocks one = owner();
                OwnerLocks other = owner()) {
            locks(one, true, 0, 99);
            one.unlock(40, 59);
            locks(other, true, 40, 59);
            denied(other, true, 30, 40, held(true, 0, 39));
            denied(other, true, 59, 60, held(true, 60, 99));
            one.unlock(0, END);
            locks(other, true, 0, END);
        }
    }

    @Test
    void lock_inTheOtherKind_replacesOrChangesNothing() throws Exception {
        try (OwnerLocks one = owner();
                OwnerLocks other = owner()) {
            locks(one, false, 0, 9);
            locks(one, true, 0, 9);
            denied(other, false, 0, 9, held(true, 0, 9));
            locks(one, false, 0, 9);
            locks(other, false, 0, 9);
            denied(one, true, 0, 9, held(false, 0, 9));
            denied(other, true, 0, 9, held(false, 0, 9));
        }
    }

    @Test
    void close_withLocks_releasesThemOnce() throws Exception {
        try (OwnerLocks other = owner()) {
            OwnerLocks one = owner();
            locks(one, true, 0, END);
            denied(other, true, 0, 0, held(true, 0, END));
            one.close();
            locks(other, true, 0, END);
            one.close();
            try (OwnerLocks third = owner()) {
                denied(third, true, 0, 0, held(true, 0, END));
            }
        }
    }

    @Test
    void exclusiveLock_withAccessToRead_isRefused() throws Exception {
        try (OwnerLocks reader = fs.openLocks(file, OpenAccess.READ);
                OwnerLocks other = owner()) {
            assertFails(FsError.ACCESS, () -> reader.tryLock(true, 0, 9));
            locks(reader, false, 0, 9);
            denied(other, true, 0, 9, held(false, 0, 9));
        }
    }

    @Test
    void locks_onWhatIsNoFile_areRefused() throws Exception {
        FileHandle directory = directory(root, "d");
        assertFails(FsError.IS_DIRECTORY, () -> fs.openLocks(directory, OpenAccess.READ));
        fs.remove(ROOT, root, name("locked"));
        assertFails(FsError.STALE, () -> fs.openLocks(file, OpenAccess.READ));
    }

    @Test
    void locks_whenTheTreeIsClosed_areReleased() throws Exception {
        OwnerLocks one = owner();
        locks(one, true, 0, END);
        if (!keepsFiles()) {
            return;
        }
        if (backend.hostRoot() != null) {
            restart();
            file = lookup(fs.root(), "locked").handle();
            try (OwnerLocks other = owner()) {
                locks(other, true, 0, END);
            }
        }
        one.close();
    }

    /** Compares with a table of bytes. */
    @Test
    void locks_atRandom_areThoseOfPosix() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int bytes = 24;
        int[][] kinds = new int[3][bytes];
        List<OwnerLocks> owners = new ArrayList<>();
        try {
            for (int i = 0; i < kinds.length; i++) {
                owners.add(owner());
            }
            for (int step = 0; step < 2000; step++) {
                int owner = random.nextInt(kinds.length);
                int first = random.nextInt(bytes);
                int last = first + random.nextInt(bytes - first);
                int kind = random.nextInt(3);
                if (kind == 0) {
                    owners.get(owner).unlock(first, last);
                } else {
                    boolean free = isFree(kinds, owner, kind, first, last);
                    Optional<OwnerLocks.Holder> tested = owners.get(owner).test(kind == 2, first, last);
                    Optional<OwnerLocks.Holder> tried = owners.get(owner).tryLock(kind == 2, first, last);
                    assertThat(List.of(tested.isEmpty(), tried.isEmpty()))
                            .as("seed %d, step %d", seed, step)
                            .containsOnly(free);
                    if (!free) {
                        continue;
                    }
                }
                for (int at = first; at <= last; at++) {
                    kinds[owner][at] = kind;
                }
            }
        } finally {
            owners.forEach(OwnerLocks::close);
        }
    }

    private static boolean isFree(int[][] kinds, int owner, int kind, int first, int last) {
        for (int other = 0; other < kinds.length; other++) {
            for (int at = first; at <= last; at++) {
                if (other != owner && kinds[other][at] + kind > 2 && kinds[other][at] > 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
