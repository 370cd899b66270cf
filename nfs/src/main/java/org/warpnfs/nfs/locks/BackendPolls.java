package org.warpnfs.nfs.locks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Tries those in line again who wait for a lock that somebody else has at the backend: no backend tells when such a
 * lock is released.
 *
 * <p>For each file the first trial comes after {@value #FIRST_MILLIS} ms, and the pause doubles up to
 * {@value #LONGEST_MILLIS} ms. At most {@value #AT_ONCE} requests of a file are tried at a time, the least tried first.
 * Each file that is waited for makes all pauses a little longer, so that their number does not matter.
 */
final class BackendPolls {
    private static final Logger LOG = LoggerFactory.getLogger(BackendPolls.class);
    static final long FIRST_MILLIS = 50;
    static final long LONGEST_MILLIS = 1000;
    static final int AT_ONCE = 16;

    private final LocksByFile byFile;
    private final LineGrants grants;
    private final WaitingLines lines;
    private final LaterWork work;
    /** Number of files that are waited for. Guarded by the lock of the service. */
    private int files;

    BackendPolls(LocksByFile byFile, LineGrants grants, WaitingLines lines, LaterWork work) {
        this.byFile = byFile;
        this.grants = grants;
        this.lines = lines;
        this.work = work;
    }

    /** Begins to try for a file. Must be called under the lock of the service. */
    void begin(FileLocks locks) {
        if (locks.pauseMillis() == 0) {
            files++;
            next(locks, FIRST_MILLIS);
        }
    }

    private void next(FileLocks locks, long millis) {
        locks.pauseMillis(millis);
        work.at(locks.backend(), millis + files, () -> tryAll(locks));
    }

    private void tryAll(FileLocks locks) {
        List<Reservation> reserved = new ArrayList<>();
        List<Waiting> free = List.of();
        try {
            List<Waiting> asked = byFile.on(locks.identity(), (_, after) -> candidates(locks, reserved, after));
            reserved.forEach(reservation -> {
                var _ = reservation.settle();
            });
            free = asked.stream().filter(request -> isFree(locks, request)).toList();
        } catch (RuntimeException e) {
            // Those in line are tried all the same.
            LOG.error("requests in line could not be tried: a defect of this server", e);
        }
        goOn(locks, free);
    }

    private void goOn(FileLocks locks, List<Waiting> free) {
        boolean _ = byFile.on(locks.identity(), (_, after) -> {
            free.forEach(request -> request.tryLater(false));
            grants.grant(locks, after);
            boolean more = locks.waiting().stream().anyMatch(Waiting::isTriedLater);
            if (more) {
                next(locks, Math.min(2 * locks.pauseMillis(), LONGEST_MILLIS));
            } else {
                files--;
                locks.pauseMillis(0);
            }
            return more;
        });
    }

    /** Reserves for those who are given locks. Returns those who have to ask again. */
    private List<Waiting> candidates(FileLocks locks, List<Reservation> reserved, List<Runnable> after) {
        if (grants.isHeldBack()) {
            return List.of();
        }
        List<Waiting> tried = locks.waiting().stream()
                .filter(Waiting::isTriedLater)
                .sorted(Comparator.comparingLong(Waiting::trials))
                .limit(AT_ONCE)
                .toList();
        List<Waiting> asked = new ArrayList<>();
        for (Waiting request : tried) {
            request.countTrial();
            if (request.owner().isGone() || lines.isBehindAnother(request) || !locks.isFree(request)) {
                // Its turn comes as that of any other.
                request.tryLater(false);
            } else if (request.asksAgain()) {
                asked.add(request);
            } else if (!locks.pending().containsKey(request.owner())) {
                reserved.add(locks.reserve(request.owner(), request.exclusive(), request.range(), request, true));
            }
        }
        grants.grant(locks, after);
        return asked;
    }

    private static boolean isFree(FileLocks locks, Waiting request) {
        BackendLocks backend = locks.backend();
        try {
            return backend == null || backend.test(request.owner(), request.exclusive(), request.range()) == null;
        } catch (FsException e) {
            LOG.debug("a lock cannot be tested: {}", e.getMessage());
            // Its owner asks again, and is told why.
            return e.error() != FsError.TRY_LATER;
        }
    }
}
