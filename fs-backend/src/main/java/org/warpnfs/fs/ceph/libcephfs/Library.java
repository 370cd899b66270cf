package org.warpnfs.fs.ceph.libcephfs;

import java.util.Optional;
import org.warpnfs.fs.ceph.foreign.ForeignLibrary;

/** libcephfs, and how its functions report failures. */
public final class Library {
    static final ForeignLibrary CEPHFS = ForeignLibrary.load(
            "libcephfs.so.2", "the package libcephfs2 (Debian, Ubuntu, Fedora) of Ceph 16 or later");

    private Library() {}

    /** Says what to install if the library is not there; else empty. */
    public static Optional<String> missing() {
        return CEPHFS.missing();
    }

    /** Returns the result, or throws the error number that it is. */
    static int check(int result) throws CephException {
        if (result < 0) {
            throw CephException.of(-result);
        }
        return result;
    }

    /** Returns the result, or throws the error number that it is. */
    static long check(long result) throws CephException {
        if (result < 0) {
            throw CephException.of((int) -result);
        }
        return result;
    }

    /**
     * Sorts what a call threw.
     *
     * @return a defect of this package, to be thrown
     * @throws CephException if the call itself failed
     */
    static AssertionError failure(Throwable thrown) throws CephException {
        if (thrown instanceof CephException ceph) {
            throw ceph;
        }
        return broken(thrown);
    }

    /** What a method handle of this package throws is always a defect of this package. */
    static AssertionError broken(Throwable thrown) {
        return CEPHFS.broken(thrown);
    }
}
