package org.warpnfs.tools.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The ids of this process, as the owner of its directory in /proc: Java has no direct way to ask. */
public final class ProcessIds {
    private ProcessIds() {}

    /** Returns the effective user id; 0 where it cannot be found, as on hosts other than Linux. */
    public static int uid() {
        return own("uid");
    }

    /** Returns the effective group id; 0 where it cannot be found. */
    public static int gid() {
        return own("gid");
    }

    private static int own(String kind) {
        try {
            // The link itself is always root's.
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:" + kind);
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return 0;
        }
    }
}
