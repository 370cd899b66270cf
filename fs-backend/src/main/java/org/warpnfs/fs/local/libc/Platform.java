package org.warpnfs.fs.local.libc;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Constants that differ between the architectures of Linux (arch/arm64/include/uapi/asm/fcntl.h, unistd.h). */
public enum Platform {
    X86_64(0200000, 0400000, 116),
    AARCH64(0040000, 0100000, 159);

    private static final @Nullable Platform CURRENT = detect();

    final int openDirectory;
    final int openNoFollow;
    final long syscallSetgroups;

    Platform(int openDirectory, int openNoFollow, long syscallSetgroups) {
        this.openDirectory = openDirectory;
        this.openNoFollow = openNoFollow;
        this.syscallSetgroups = syscallSetgroups;
    }

    /** The platform of this process. */
    static Platform current() {
        if (CURRENT == null) {
            throw new UnsupportedOperationException("only Linux on x86-64 and aarch64 is supported");
        }
        return CURRENT;
    }

    /** True if the classes of this package work here. */
    public static boolean isSupported() {
        return CURRENT != null;
    }

    private static @Nullable Platform detect() {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            return null;
        }
        return switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default -> null;
        };
    }
}
