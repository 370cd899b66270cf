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
import org.warpnfs.limits.ClientAddress;

/**
 * The calls of a mount that are under way, and for how long. The library waits without a limit for a daemon that does
 * not answer, and what it began cannot be taken back. So calls that have begun go on to wait, and new ones are refused
 * as long as many wait, or the metadata server does not answer at all.
 *
 * <p>A call may also wait for another client of Ceph, which has to give something up for it: another gateway whose NFS
 * client does not return a delegation. An NFS client can choose to make such calls. So the calls of one client refuse
 * others only for the files that they wait for, and Ceph is taken for one that does not answer when the calls of many
 * clients wait.
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
    private final Map<ClientAddress, Integer> slowOfClient = new HashMap<>();
    private int slow;
    /** Slow calls of the server itself, each of which counts as those of a client. */
    private int slowOfServer;

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
        private final @Nullable ClientAddress client;
        private final @Nullable FileHandle file;
        private final long sinceNanos;
        private final boolean isProbe;
        private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

        private Call(@Nullable ClientAddress client, @Nullable FileHandle file, long sinceNanos, boolean isProbe) {
            this.client = client;
            this.file = file;
            this.sinceNanos = sinceNanos;
            this.isProbe = isProbe;
        }
    }

    /**
     * Begins a call.
     *
     * @param client null if the server itself makes it
     * @param file null if it is for no file
     * @throws FsException TRY_LATER if too many wait
     */
    Call begin(@Nullable ClientAddress client, @Nullable FileHandle file, long nowNanos) throws FsException {
        if (anySlow || probeIsSlow) {
            requirePatience(client, file);
        }
        return add(new Call(client, file, nowNanos, false));
    }

    private synchronized void requirePatience(@Nullable ClientAddress client, @Nullable FileHandle file)
            throws FsException {
        if (probeIsSlow || isSlowForMany()) {
            throw FsException.of(FsError.TRY_LATER, "Ceph does not answer");
        }
        if (client != null && slowOfClient.getOrDefault(client, 0) >= patience.maxSlowOfClient()) {
            throw FsException.of(FsError.TRY_LATER, "too many calls of this client wait for Ceph");
        }
        if (file != null && slowOfFile.getOrDefault(file, 0) >= patience.maxSlowOfFile()) {
            throw FsException.of(FsError.TRY_LATER, "too many calls for this file wait for Ceph");
        }
    }

    private boolean isSlowForMany() {
        return slowOfClient.size() + slowOfServer >= patience.maxSlowClients();
    }

    /** Begins a call that asks whether the metadata server answers. */
    Call beginProbe(long nowNanos) {
        return add(new Call(null, null, nowNanos, true));
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
            count(slowOfFile, call.file, change);
        }
        if (call.client != null) {
            count(slowOfClient, call.client, change);
        } else {
            slowOfServer += change;
        }
        anySlow = slow > 0;
    }

    private static <K> void count(Map<K, Integer> counts, K key, int change) {
        counts.merge(key, change, (had, more) -> had + more == 0 ? null : had + more);
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
        if (isSlowForMany() || (slow > 0 && oldestNanos >= LONG.toNanos())) {
            return Optional.of(slow + " calls wait for Ceph, for up to " + seconds + " s");
        }
        return Optional.empty();
    }
}
