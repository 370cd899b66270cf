package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OwnerLocks;

/** Releases of locks at a backend that fails, or that is being asked for a lock. */
@Timeout(120)
class ReleaseFaultsTest extends BackendFaultsFixture {
    @Test
    void unlock_whileALockIsUnderWay_endsAtOnceAndReleasesThatToo() throws Exception {
        assertThat(lock(a, false, range(0, 9)).isGranted()).isTrue();
        Reservation reservation = service.lock(file, a, true, range(5, 20)).reservation();
        unlock(a, range(8, 10));
        assertThat(reservation.settle().isGranted()).isTrue();
        assertThat(service.of(file.identity(), a, 9))
                .containsExactly(
                        new HeldLock(a, false, range(0, 4)),
                        new HeldLock(a, true, range(5, 7)),
                        new HeldLock(a, true, range(11, 20)));
        assertThat(canLock(true, 8)).isTrue();
        assertThat(canLock(true, 10)).isTrue();
        assertThat(canLock(false, 7)).isFalse();
        assertThat(canLock(true, 4)).isFalse();
        assertThat(canLock(false, 11)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void unlock_whileALockIsUnderWayThatFails_releasesWhatWasBefore() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        try (OwnerLocks other = somebodyElse()) {
            assertThat(other.tryLock(true, 15, 15)).isEmpty();
            Reservation reservation = service.lock(file, a, true, range(5, 20)).reservation();
            unlock(a, range(7, 8));
            assertThat(reservation.settle().outcome()).isEqualTo(LockAttempt.Outcome.DENIED);
        }
        assertThat(service.of(file.identity(), a, 9))
                .containsExactly(new HeldLock(a, true, range(0, 6)), new HeldLock(a, true, range(9, 9)));
        assertThat(canLock(true, 7)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(canLock(true, 15)).isTrue();
        unlock(a, ALL);
    }

    @Test
    void release_thatFails_hindersNobodyAndIsMadeLater() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.IO));
        unlock(a, range(0, 4));
        assertThat(lock(b, true, range(20, 29)).isGranted()).isTrue();
        assertThat(canLock(true, 0)).isFalse();
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        unlock(a, ALL);
        unlock(b, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void release_thatFailsAgainAndAgain_isMadeByTakingTheRestAnew() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.IO));
        unlock(a, range(0, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timePasses()).isEmpty();
        }
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(timers).isEmpty();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void release_whileTheBackendHasNoTime_keepsWhatIsLockedHoweverLongItLasts() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.TRY_LATER));
        unlock(a, range(0, 2));
        unlock(a, range(3, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timers).as("one for all").hasSize(1);
            assertThat(timePasses()).isEmpty();
            assertThat(canLock(true, 9)).isFalse();
        }
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(timers).isEmpty();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void takingAnew_thatCannotBegin_keepsWhatIsLockedUntilItCan() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(call -> {
            throw FsException.of(call.equals("open") ? FsError.TRY_LATER : FsError.IO);
        });
        unlock(a, range(0, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timePasses()).isEmpty();
        }
        assertThat(canLock(true, 9)).isFalse();
        fault.set(Fault.of("unlock", FsError.IO));
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }

    @Test
    void takingAnew_thatFailsHalfway_goesOnUntilAllIsLockedAgain() throws Exception {
        assertThat(lock(a, true, range(0, 9)).isGranted()).isTrue();
        fault.set(call -> {
            if (!call.equals("open")) {
                throw FsException.of(call.equals("lock") ? FsError.TRY_LATER : FsError.IO);
            }
        });
        unlock(a, range(0, 4));
        for (int round = 0; round < 10; round++) {
            assertThat(timePasses()).isEmpty();
        }
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 0)).isTrue();
        assertThat(canLock(true, 9)).isFalse();
        assertThat(timers).isEmpty();
        unlock(a, ALL);
        assertThat(service.backends().owners()).isZero();
        assertThat(service.files()).isZero();
    }

    @Test
    void releasesOfOneOwner_thatFail_areFewInTheEnd() throws Exception {
        assertThat(lock(a, true, range(0, 999)).isGranted()).isTrue();
        fault.set(Fault.of("unlock", FsError.TRY_LATER));
        for (long at = 0; at < 1000; at += 2) {
            unlock(a, range(at, at));
        }
        int[] calls = {0};
        fault.set(call -> {
            calls[0] += call.equals("unlock") ? 1 : 0;
            throw FsException.of(FsError.TRY_LATER);
        });
        assertThat(timePasses()).isEmpty();
        assertThat(calls[0]).isLessThan(40);
        fault.set(Fault.NONE);
        assertThat(timePasses()).isEmpty();
        assertThat(canLock(true, 998)).isTrue();
        assertThat(canLock(true, 4)).isTrue();
        assertThat(canLock(true, 5)).isFalse();
        unlock(a, ALL);
        assertThat(service.files()).isZero();
    }
}
