package org.warpnfs.nfs.locks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * Grants those in line what they wait for, in their order. An owner that asks again, in place of being given the lock,
 * has a turn to do so. If it is told of its turn, that lasts {@value #TURN_SECONDS} seconds, in which nobody behind it
 * is served. If not, its turn lasts until it is expected to ask, and others are served until shortly before
 * ({@link Asking}): they use the range meanwhile, and it keeps its place.
 *
 * <p>Methods that take {@link FileLocks} must be called under the lock of the service, the others without it.
 */
final class LineGrants {
    private static final int TURN_SECONDS = 2;
    /** Number of steps, each of which looks at one lock or one request: some hundred microseconds. */
    static final int MAX_STEPS = 8 * 1024;

    private final LocksByFile byFile;
    private final WaitingLines lines;
    private final LaterWork work;
    private long turns;
    private volatile BooleanSupplier heldBack = () -> false;

    LineGrants(LocksByFile byFile, WaitingLines lines, LaterWork work) {
        this.byFile = byFile;
        this.lines = lines;
        this.work = work;
    }

    /**
     * Grants what can be granted, in order: at once as far as {@value #MAX_STEPS} steps go. The thread that tells
     * waiters looks at the rest of the line, and then at all of it once more if this was called meanwhile.
     */
    void grant(FileLocks locks, List<Runnable> after) {
        if (locks.waiting().isEmpty() || isHeldBack()) {
            return;
        }
        if (locks.toLookAt() == null) {
            look(locks, new ArrayDeque<>(locks.waiting()), after);
        } else {
            locks.lookAtAllAgain(true);
        }
    }

    private void look(FileLocks locks, Deque<Waiting> line, List<Runnable> after) {
        long last = lines.steps() + MAX_STEPS;
        long nowNanos = lines.nowNanos();
        long soonestNanos = Long.MAX_VALUE;
        while (!line.isEmpty() && lines.steps() < last) {
            Waiting next = line.remove();
            if (lines.stands(next)) {
                soonestNanos = Math.min(soonestNanos, look(next, nowNanos, after));
            }
        }
        if (soonestNanos < Long.MAX_VALUE) {
            lookAgain(locks, nowNanos + soonestNanos);
        }
        boolean isMore = !line.isEmpty() || locks.looksAtAllAgain();
        if (line.isEmpty()) {
            locks.lookAtAllAgain(false);
        }
        locks.toLookAt(isMore ? line : null);
        if (isMore) {
            after.add(() -> work.tell(() -> goOn(locks)));
        }
    }

    /** @return for how long another request keeps this one from being granted; the largest number if none does */
    private long look(Waiting next, long nowNanos, List<Runnable> after) {
        if (next.owner().isGone()) {
            lines.remove(next);
        } else if (next.turn() == 0
                && !next.isTriedLater()
                && !next.file().pending().containsKey(next.owner())
                && lines.isFree(next)) {
            Waiting earlier = lines.before(next);
            if (earlier != null) {
                return earlier.waitsForNanos(nowNanos);
            }
            grant(next, after);
        }
        return Long.MAX_VALUE;
    }

    /** Looks at those in line whom nobody has looked at yet. */
    private void goOn(FileLocks locks) {
        boolean _ = byFile.on(locks.identity(), (_, after) -> {
            Deque<Waiting> left = locks.toLookAt();
            locks.toLookAt(null);
            if (left != null && !isHeldBack()) {
                look(locks, left.isEmpty() ? new ArrayDeque<>(locks.waiting()) : left, after);
            }
            return true;
        });
    }

    /** Looks again at that time: who stands behind one that has given up by then is told by nobody else. */
    private void lookAgain(FileLocks locks, long atNanos) {
        if (locks.looksAgain(atNanos)) {
            work.after(millisUntil(atNanos), () -> {
                boolean _ = byFile.on(locks.identity(), (now, after) -> {
                    now.looksNow(atNanos);
                    grant(now, after);
                    return true;
                });
            });
        }
    }

    private long millisUntil(long atNanos) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, atNanos - lines.nowNanos())) + 1;
    }

    private void grant(Waiting next, List<Runnable> after) {
        FileLocks locks = next.file();
        if (next.asksAgain()) {
            beginTurn(next);
            after.add(() -> work.tell(next.waiter()::granted));
        } else if (locks.backend() != null && OwnerSide.reaches(next.range())) {
            Reservation reservation = locks.reserve(next.owner(), next.exclusive(), next.range(), next, true);
            after.add(() -> work.at(locks.backend(), () -> {
                var _ = reservation.settle();
            }));
        } else {
            locks.held().lock(next.owner(), next.exclusive(), next.range());
            lines.remove(next);
            after.add(() -> work.tell(next.waiter()::granted));
        }
    }

    private void beginTurn(Waiting request) {
        long turn = ++turns;
        request.turn(turn);
        long nowNanos = lines.nowNanos();
        long millis = request.waiter().isTold()
                ? TimeUnit.SECONDS.toMillis(TURN_SECONDS)
                : millisUntil(nowNanos + request.waitsForNanos(nowNanos));
        work.after(millis, () -> endTurn(request.file().identity(), request, turn));
    }

    /** Ends a turn that its owner did not use. */
    private void endTurn(FileIdentity file, Waiting request, long turn) {
        boolean _ = byFile.on(file, (_, after) -> {
            boolean unused = request.turn() == turn && request.file().waiting().contains(request);
            if (unused) {
                lines.remove(request);
                grant(request.file(), after);
            }
            return unused;
        });
    }

    /** Grants nobody anything while this is true. The condition must answer at once. */
    void holdBackWhile(BooleanSupplier condition) {
        heldBack = condition;
    }

    /** True while those in line are not granted. Answers at once. */
    boolean isHeldBack() {
        return heldBack.getAsBoolean();
    }

    /** Grants what could not be granted while those in line were held back. */
    void grantHeldBack() {
        byFile.withLines().forEach(file -> {
            boolean _ = byFile.on(file, (locks, after) -> {
                grant(locks, after);
                return true;
            });
        });
    }
}
