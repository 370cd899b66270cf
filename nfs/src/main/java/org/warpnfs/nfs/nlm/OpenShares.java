package org.warpnfs.nfs.nlm;

import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsException;

/** Asks the other protocols whether their opens permit a share reservation. */
@FunctionalInterface
public interface OpenShares {
    /** There are no opens. */
    OpenShares NONE = (_, _, _, then) -> {
        then.run();
        return true;
    };

    /**
     * Notes a reservation, unless an open denies one of these accesses or has one that is to be denied. No open comes
     * in between.
     *
     * @param then notes the reservation; must return at once
     * @return false if there is such an open
     * @throws FsException TRY_LATER if there is one whose client is leaving
     */
    boolean reserve(FileIdentity file, int access, int deny, Runnable then) throws FsException;
}
