package org.warpnfs.fs.ceph.librados;

import java.util.Optional;
import org.warpnfs.fs.ceph.foreign.ForeignLibrary;

/** librados. */
public final class RadosLibrary {
    static final ForeignLibrary RADOS =
            ForeignLibrary.load("librados.so.2", "the package librados2 of Ceph 16 or later");

    private RadosLibrary() {}

    /** Says what to install if the library is not there; else empty. */
    public static Optional<String> missing() {
        return RADOS.missing();
    }

    /** What a method handle of this package throws is always a defect of this package. */
    static AssertionError broken(Throwable thrown) {
        return RADOS.broken(thrown);
    }
}
