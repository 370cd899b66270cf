package org.warpnfs.nfs.v4.state.file;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Lease;

/**
 * A lease at the backend, for a delegation: whoever is no client of this server and opens the file in a way that
 * conflicts has to wait until the delegation is back.
 *
 * <p>It is taken without the lock of the state, before the delegation is granted. It may break at any time, even before
 * that.
 */
public final class BackendLease {
    /** What is left of the backend's time when the holder's is up: for the next look at it, and for the release. */
    private static final long MOST_LEFT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LEAST_LEFT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int LEFT_PART = 8;

    private volatile boolean breaking;
    private volatile long patienceNanos;
    /** Guarded by the lock of the state. */
    private @Nullable DelegationState delegation;

    private @Nullable Lease lease;

    private BackendLease() {}

    /**
     * Takes a lease. Must be called without a lock.
     *
     * @param breaks is called once when somebody waits for the file, on a thread of the backend
     * @return empty if there is none to have now
     */
    public static Optional<BackendLease> take(
            FileSystem backend, FileHandle file, boolean toWrite, Consumer<BackendLease> breaks) {
        BackendLease own = new BackendLease();
        try {
            own.lease = backend.lease(file, toWrite ? Lease.Kind.WRITE : Lease.Kind.READ, () -> {
                        own.breaking = true;
                        breaks.accept(own);
                    })
                    .orElse(null);
            Lease taken = own.lease;
            if (taken == null) {
                return Optional.empty();
            }
            own.patienceNanos = patienceNanos(taken.breakTime().toNanos());
            return Optional.of(own);
        } catch (FsException e) {
            // A delegation is a favor: without a lease there is none.
            return Optional.empty();
        }
    }

    /** True if somebody waits for the file. */
    boolean isBreaking() {
        return breaking;
    }

    /** How long a holder may take to return its delegation, once the lease breaks. */
    public long patienceNanos() {
        return patienceNanos;
    }

    private static long patienceNanos(long breakNanos) {
        long left = Math.min(MOST_LEFT_NANOS, Math.max(LEAST_LEFT_NANOS, breakNanos / LEFT_PART));
        return Math.max(0, breakNanos - left);
    }

    /** Notes whose lease it is. Guarded by the lock of the state. */
    void grantedTo(DelegationState granted) {
        delegation = granted;
    }

    /** Whose lease it is; null if nobody's. Guarded by the lock of the state. */
    @Nullable
    DelegationState delegation() {
        return delegation;
    }

    /** True if a delegation has it. Guarded by the lock of the state. */
    public boolean isGranted() {
        return delegation != null;
    }

    /** Gives the lease back. Must be called without a lock; may be called again. */
    public synchronized void end() {
        Lease own = lease;
        lease = null;
        if (own != null) {
            own.close();
        }
    }
}
