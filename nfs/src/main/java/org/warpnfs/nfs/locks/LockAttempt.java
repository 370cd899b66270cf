package org.warpnfs.nfs.locks;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsException;

/**
 * The result of a request for a lock.
 *
 * @param outcome what became of it
 * @param holder a conflicting lock, if there is one
 * @param more by how many the ranges of the owner on the file have grown, or shrunk
 * @param reservation for RESERVED the one to be settled, for BUSY the one to be waited for; else null
 * @param failure why it FAILED; else null
 */
public record LockAttempt(
        Outcome outcome,
        @Nullable HeldLock holder,
        int more,
        @Nullable Reservation reservation,
        @Nullable FsException failure) {
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
        NO_ROOM,
        /** Nobody, or not this request, is granted anything now: clients may reclaim what it would get. */
        HELD_BACK,
        /** It is granted here, and has to be {@linkplain Reservation#settle settled} with the backend. */
        RESERVED,
        /** Another request of this owner for the file is on its way; this one did nothing and is to be repeated. */
        BUSY,
        /** The owner's locks were released, or the request was cancelled, while it was on its way. */
        CANCELLED,
        /** The backend refused it. */
        FAILED
    }

    static LockAttempt granted(int more) {
        return new LockAttempt(Outcome.GRANTED, null, more, null, null);
    }

    /** What becomes of a lock that needs no backend: nothing is to be counted any more. */
    public static LockAttempt settled() {
        return granted(0);
    }

    /** The client has used up its share. */
    public static LockAttempt noRoom() {
        return refused(Outcome.NO_ROOM, null);
    }

    static LockAttempt refused(Outcome outcome, @Nullable HeldLock holder) {
        return ended(outcome, holder, 0);
    }

    static LockAttempt ended(Outcome outcome, @Nullable HeldLock holder, int more) {
        return new LockAttempt(outcome, holder, more, null, null);
    }

    static LockAttempt reserved(Reservation reservation, int more) {
        return new LockAttempt(Outcome.RESERVED, null, more, reservation, null);
    }

    static LockAttempt busy(Reservation other) {
        return new LockAttempt(Outcome.BUSY, null, 0, other, null);
    }

    static LockAttempt failed(FsException failure, int more) {
        return new LockAttempt(Outcome.FAILED, null, more, null, failure);
    }

    public boolean isGranted() {
        return outcome == Outcome.GRANTED;
    }
}
