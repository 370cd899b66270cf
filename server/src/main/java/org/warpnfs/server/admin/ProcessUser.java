package org.warpnfs.server.admin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The user of this process. */
final class ProcessUser {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String LINE = "Uid:";
    private static final int EFFECTIVE = 2;

    private ProcessUser() {}

    /** Returns the effective user id; -1, which no user has, if the kernel does not tell. */
    static long effectiveUid() {
        try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(LINE)) {
                    return Long.parseLong(List.of(line.split("\\s+", -1)).get(EFFECTIVE));
                }
            }
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
        return -1;
    }
}
