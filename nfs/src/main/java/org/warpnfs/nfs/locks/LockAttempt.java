package org.warpnfs.nfs.locks;

import org.jspecify.annotations.Nullable;

/**
 * The result of a request for a lock.
 *
 * @param outcome what became of it
 * @param holder a conflicting lock, if there is one
 * @param more by how many the ranges of the owner on the file have grown, or shrunk
 */
public record LockAttempt(Outcome outcome, @Nullable HeldLock holder, int more) {
    /** What became of a request. */
    public enum Outcome {
        GRANTED,
        /** Another owner has a conflicting lock. */
        DENIED,
        /** The request waits in line, and its waiter will be told. */
        WAITING,
        /** Those who would have to unlock first wait for this owner. */
        DEADLOCK,
        /** The line is full, or the client's part of it. */
        NO_ROOM
    }

    static LockAttempt granted(int more) {
        return new LockAttempt(Outcome.GRANTED, null, more);
    }

    static LockAttempt refused(Outcome outcome, @Nullable HeldLock holder) {
        return new LockAttempt(outcome, holder, 0);
    }

    public boolean isGranted() {
        return outcome == Outcome.GRANTED;
    }
}
