package org.warpnfs.nfs.locks;

import org.warpnfs.limits.ClientAddress;

/** A request in line. Two of one owner for the same range and kind of the same file are equal. */
final class Waiting {
    private final FileLocks file;
    private final Locker owner;
    private final boolean exclusive;
    private final ByteRange range;
    private final ClientAddress client;
    private LockWaiter waiter;

    Waiting(FileLocks file, Locker owner, boolean exclusive, ByteRange range, ClientAddress client, LockWaiter waiter) {
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

    void tell(LockWaiter other) {
        waiter = other;
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
        return (owner.hashCode() * 31 + range.hashCode()) * 31 + Boolean.hashCode(exclusive);
    }
}
