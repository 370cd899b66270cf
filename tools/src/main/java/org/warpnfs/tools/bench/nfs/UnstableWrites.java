package org.warpnfs.tools.bench.nfs;

import java.util.OptionalLong;

/** Checks by the write verifier that the server has not lost unstable writes. */
final class UnstableWrites {
    private OptionalLong verifier = OptionalLong.empty();

    /** Compares the verifier in the reply to a WRITE with those before, and remembers it. */
    void written(long itsVerifier) throws NfsException {
        require("WRITE", itsVerifier);
        verifier = OptionalLong.of(itsVerifier);
    }

    /** Compares the verifier in the reply to a COMMIT. */
    void committed(long itsVerifier) throws NfsException {
        require("COMMIT", itsVerifier);
    }

    private void require(String what, long itsVerifier) throws NfsException {
        if (verifier.isPresent() && verifier.getAsLong() != itsVerifier) {
            throw new NfsException(what + ": the server lost unstable writes (its verifier changed)");
        }
    }
}
