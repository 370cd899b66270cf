package org.warpnfs.fs.spi;

import java.util.Optional;

/**
 * The byte-range locks of one owner on one regular file, which the backend keeps where others than this server see
 * them: processes of the host, other gateways.
 *
 * <p>Locks of two instances conflict as those of two owners do, even if both come from one file system. Locks have
 * POSIX semantics: what is locked replaces what the same instance had of the range, and an unlocked part leaves the
 * rest locked. So a range may be locked again in the other kind, which succeeds or changes nothing.
 *
 * <p>A range is given by its first and its last byte: 0 &lt;= first &lt;= last. {@link #TO_EOF} as the last byte means
 * to the end of the file, wherever that will be.
 *
 * <h2>Threads</h2>
 *
 * No call waits for a lock of another; a call may wait for a disk or another host. One thread at a time calls an
 * instance, but {@link #close} may be called by any.
 *
 * <h2>Errors</h2>
 *
 * NO_LOCKS if the medium has no room for more locks or gives none, TRY_LATER for a shortage that passes, NOT_SUPPORTED
 * where the medium below has no locks. After an error the range is locked as before.
 */
public interface OwnerLocks extends AutoCloseable {
    /** The last byte of a range without an end. */
    long TO_EOF = Long.MAX_VALUE;

    /**
     * A lock of somebody else.
     *
     * @param last its last byte, or {@link #TO_EOF}
     * @param process number of the process on this host that has it; 0 if it is not known
     */
    record Holder(boolean exclusive, long first, long last, int process) {}

    /**
     * Locks the range, unless somebody else has a conflicting lock. Never waits for one.
     *
     * @param exclusive false for a lock that others may share; true only if it was opened with {@link OpenAccess#writes
     *     access to write}, else ACCESS
     * @return empty if the range is locked now; else a conflicting lock, and nothing has changed
     */
    Optional<Holder> tryLock(boolean exclusive, long first, long last) throws FsException;

    /** Unlocks what is locked of the range. */
    void unlock(long first, long last) throws FsException;

    /** A lock of somebody else with which {@link #tryLock} would conflict; empty if there is none. Changes nothing. */
    Optional<Holder> test(boolean exclusive, long first, long last) throws FsException;

    /** Releases all locks of the instance. It cannot be used afterwards. A second call does nothing. */
    @Override
    void close();
}
