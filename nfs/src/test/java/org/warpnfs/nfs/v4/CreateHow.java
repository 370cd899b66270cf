package org.warpnfs.nfs.v4;

import java.util.function.Consumer;
import org.warpnfs.nfs.testing.CallWriter;

/** openflag4 of an OPEN: what it does if the file exists, and if it does not (RFC 8881, section 18.16). */
record CreateHow(Consumer<CallWriter> writer) {
    static CreateHow nothing() {
        return new CreateHow(c -> c.words(0));
    }

    static CreateHow unchecked(Fattr attributes) {
        return new CreateHow(c -> attributes.write(c.words(1, 0)));
    }

    static CreateHow guarded(Fattr attributes) {
        return new CreateHow(c -> attributes.write(c.words(1, 1)));
    }

    static CreateHow exclusive(long verifier) {
        return new CreateHow(c -> c.words(1, 2).hyper(verifier));
    }

    static CreateHow exclusive41(long verifier, Fattr attributes) {
        return new CreateHow(c -> attributes.write(c.words(1, 3).hyper(verifier)));
    }
}
