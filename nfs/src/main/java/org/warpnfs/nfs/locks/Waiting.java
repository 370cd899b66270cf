package org.warpnfs.nfs.locks;

import org.warpnfs.keys.KeyedHash;
import org.warpnfs.limits.ClientAddress;

/** A request in line. Two of one owner for the same range and kind of the same file are equal. */
final class Waiting {
    private final FileLocks file;
    private final Locker owner;
    private final boolean exclusive;
    private final ByteRange range;
    private final ClientAddress client;
    /** True if its owner is told of its turn and asks again; false if it is given the lock. */
    private final boolean asksAgain;

    private LockWaiter waiter;
    /** Number of the turn that its owner was told of; 0 if it was told of none since it asked last. */
    private long turn;

    /** True if it waits for somebody else at the backend, and is tried from time to time. */
    private boolean triedLater;

    private long trials;
    private final Asking asking = new Asking();

    Waiting(
            FileLocks file,
            Locker owner,
            boolean exclusive,
            ByteRange range,
            ClientAddress client,
            boolean asksAgain,
            LockWaiter waiter) {
        this.asksAgain = asksAgain;
        this.file = file;
        this.owner = owner;
        this.exclusive = exclusive;
        this.range = range;
        this.client = client;
        this.waiter = waiter;
    }

    FileLocks file() {
        return file;
    }

    Locker owner() {
        return owner;
    }

    boolean exclusive() {
        return exclusive;
    }

    ByteRange range() {
        return range;
    }

    ClientAddress client() {
        return client;
    }

    LockWaiter waiter() {
        return waiter;
    }

    boolean asksAgain() {
        return asksAgain;
    }

    long turn() {
        return turn;
    }

    void turn(long number) {
        turn = number;
    }

    boolean isTriedLater() {
        return triedLater;
    }

    void tryLater(boolean later) {
        triedLater = later;
    }

    /** How often it was tried. */
    long trials() {
        return trials;
    }

    void countTrial() {
        trials++;
    }

    /** Notes that its owner asks for the first time. */
    void askedAt(long nowNanos) {
        asking.at(nowNanos, waiter.isTold());
    }

    /** Its owner has asked again. */
    void renew(LockWaiter other, long nowNanos) {
        waiter = other;
        turn = 0;
        asking.at(nowNanos, other.isTold());
    }

    /** For how long its owner is sure to wait. */
    long waitsForNanos(long nowNanos) {
        return asksAgain ? asking.expectedForNanos(nowNanos) : Long.MAX_VALUE;
    }

    /** True while those behind it wait for it. */
    boolean keepsOthers(long nowNanos) {
        return !asksAgain || asking.keepsOthers(nowNanos);
    }

    boolean isOf(Locker other, boolean otherExclusive, ByteRange otherRange) {
        return owner.equals(other) && exclusive == otherExclusive && range.equals(otherRange);
    }

    /** True if both cannot be granted. */
    boolean conflictsWith(Waiting other) {
        return (exclusive || other.exclusive) && range.overlaps(other.range) && !owner.equals(other.owner);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Waiting same && file == same.file && isOf(same.owner, same.exclusive, same.range);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(owner.hashCode(), exclusive ? range.hashCode() : ~(long) range.hashCode());
    }
}
