package org.warpnfs.fs.ceph;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * The calls of a mount that are under way, and for how long. The library waits without a limit for a daemon that does
 * not answer, and what it began cannot be taken back. So calls that have begun go on to wait, and new ones are refused
 * as long as many wait, or the metadata server does not answer at all.
 *
 * <p>Safe for many threads. Times are those of {@link System#nanoTime}.
 */
final class CallWaits {
    /** After this even a single call that waits is a fault. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Patience patience;
    private final Set<Call> underWay = ConcurrentHashMap.newKeySet();

    // Under this object's lock.
    private final Map<FileHandle, Integer> slowOfFile = new HashMap<>();
    private int slow;

    private volatile boolean anySlow;
    private volatile boolean probeIsSlow;
    private volatile long oldestNanos;

    CallWaits(Patience patience) {
        this.patience = patience;
    }

    private enum State {
        RUNNING,
        SLOW,
        ENDED
    }

    /** A call that is under way. */
    static final class Call {
        private final @Nullable FileHandle file;
        private final long sinceNanos;
        private final boolean isProbe;
        private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

        private Call(@Nullable FileHandle file, long sinceNanos, boolean isProbe) {
            this.file = file;
            this.sinceNanos = sinceNanos;
            this.isProbe = isProbe;
        }
    }

    /**
     * Begins a call.
     *
     * @param file null if it is for no file
     * @throws FsException TRY_LATER if too many wait
     */
    Call begin(@Nullable FileHandle file, long nowNanos) throws FsException {
        if (anySlow || probeIsSlow) {
            requirePatience(file);
        }
        return add(new Call(file, nowNanos, false));
    }

    private synchronized void requirePatience(@Nullable FileHandle file) throws FsException {
        if (probeIsSlow
                || slow >= patience.maxSlow()
                || (file != null && slowOfFile.getOrDefault(file, 0) >= patience.maxSlowOfFile())) {
            throw FsException.of(FsError.TRY_LATER, "Ceph does not answer");
        }
    }

    /** Begins a call that asks whether the metadata server answers. */
    Call beginProbe(long nowNanos) {
        return add(new Call(null, nowNanos, true));
    }

    private Call add(Call call) {
        underWay.add(call);
        return call;
    }

    void end(Call call) {
        underWay.remove(call);
        if (call.state.getAndSet(State.ENDED) == State.SLOW) {
            count(call, -1);
        }
    }

    private synchronized void count(Call call, int change) {
        if (call.isProbe) {
            probeIsSlow = change > 0;
            return;
        }
        slow += change;
        if (call.file != null) {
            int left = slowOfFile.getOrDefault(call.file, 0) + change;
            if (left == 0) {
                slowOfFile.remove(call.file);
            } else {
                slowOfFile.put(call.file, left);
            }
        }
        anySlow = slow > 0;
    }

    /** Finds the calls that have become slow. Called from time to time, by one thread. */
    void look(long nowNanos) {
        long oldest = 0;
        for (Call each : underWay) {
            long age = nowNanos - each.sinceNanos;
            oldest = Math.max(oldest, age);
            if (age >= patience.slow().toNanos()) {
                markSlow(each);
            }
        }
        oldestNanos = oldest;
    }

    /** Both at once under the lock: a call that ends now is not counted out before it was counted in. */
    private synchronized void markSlow(Call call) {
        if (call.state.compareAndSet(State.RUNNING, State.SLOW)) {
            count(call, 1);
        }
    }

    /** What an administrator has to know: a sentence without its full stop. */
    synchronized Optional<String> fault() {
        long seconds = Duration.ofNanos(oldestNanos).toSeconds();
        if (probeIsSlow) {
            return Optional.of("the metadata server of Ceph has not answered for " + seconds + " s");
        }
        if (slow >= patience.maxSlow() || (slow > 0 && oldestNanos >= LONG.toNanos())) {
            return Optional.of(slow + " calls wait for Ceph, for up to " + seconds + " s");
        }
        return Optional.empty();
    }
}
