package org.warpnfs.nfs.locks;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * The turns of an owner's requests for locks on one file, in the order of their coming. A release needs none. Safe for
 * any thread.
 */
public final class OwnerTurns {
    private final ConcurrentHashMap<Key, Line> lines = new ConcurrentHashMap<>();

    OwnerTurns() {}

    /** The turn of a request, until it is closed. */
    @FunctionalInterface
    public interface Turn extends AutoCloseable {
        @Override
        void close();
    }

    private record Key(FileIdentity file, Locker owner) {}

    /** Those who have the turn or wait for it. */
    private static final class Line {
        private final Semaphore turn = new Semaphore(1, true);
        private int users;
    }

    /** Waits for the owner's turn, at most that long. Returns empty if it has not come. */
    Optional<Turn> await(FileIdentity file, Locker owner, long millis) {
        Key key = new Key(file, owner);
        Line line = lines.compute(key, (_, there) -> {
            Line own = there == null ? new Line() : there;
            own.users++;
            return own;
        });
        boolean has = false;
        try {
            has = line.turn.tryAcquire(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!has) {
                leave(key);
            }
        }
        return has ? Optional.of(() -> end(key, line)) : Optional.empty();
    }

    private void end(Key key, Line line) {
        line.turn.release();
        leave(key);
    }

    private void leave(Key key) {
        lines.computeIfPresent(key, (_, line) -> --line.users == 0 ? null : line);
    }
}
