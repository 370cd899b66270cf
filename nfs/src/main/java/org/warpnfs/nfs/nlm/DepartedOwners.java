package org.warpnfs.nfs.nlm;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.locks.Locker;

/** Asks the other protocols whether an owner of theirs whose lock conflicts is still there. */
@FunctionalInterface
public interface DepartedOwners {
    /**
     * Removes the owner if its client has been silent for too long. Returns false if it stays.
     *
     * @throws FsException TRY_LATER if it has gone, but its locks keep others out until that is on stable storage
     */
    boolean letGo(Locker owner) throws FsException;
}
