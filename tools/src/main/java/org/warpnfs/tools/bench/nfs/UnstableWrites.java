package org.warpnfs.tools.bench.nfs;

import java.util.OptionalLong;

/** Writes that a server has not put on stable storage yet: whether it still has them, by its write verifier. */
final class UnstableWrites {
    private OptionalLong verifier = OptionalLong.empty();

    /** A WRITE was answered so. */
    void written(long itsVerifier) throws NfsException {
        require("WRITE", itsVerifier);
        verifier = OptionalLong.of(itsVerifier);
    }

    /** A COMMIT was answered so. */
    void committed(long itsVerifier) throws NfsException {
        require("COMMIT", itsVerifier);
    }

    private void require(String what, long itsVerifier) throws NfsException {
        if (verifier.isPresent() && verifier.getAsLong() != itsVerifier) {
            throw new NfsException(what + ": the server lost unstable writes (its verifier changed)");
        }
    }
}
