package org.warpnfs.nfs.locks;

/** A lock on a range of bytes. */
public record HeldLock(Locker owner, boolean exclusive, ByteRange range) {
    static HeldLock of(ByteRangeLocks.Held<Locker> held) {
        return new HeldLock(held.owner(), held.exclusive(), held.range());
    }
}
