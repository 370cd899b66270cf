package org.warpnfs.fs.local;

import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/** Checks in a main class that a test runs by {@link ChildJvm}. One that fails ends that process with an error. */
final class ChildChecks {
    private ChildChecks() {}

    static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    static void fails(FsError expected, Call call) throws Exception {
        try {
            call.run();
        } catch (FsException e) {
            check(e.error() == expected, "expected " + expected + ", was " + e.error());
            return;
        }
        throw new AssertionError("expected " + expected);
    }

    interface Call {
        void run() throws Exception;
    }
}
