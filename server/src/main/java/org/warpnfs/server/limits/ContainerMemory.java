package org.warpnfs.server.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The memory limit of the container or service in which this process runs: the smallest limit of its control groups.
 */
final class ContainerMemory {
    /** No control group has a limit. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private static final Path MEMBERSHIP = Path.of("/proc/self/cgroup");
    private static final Path CONTROL_GROUPS = Path.of("/sys/fs/cgroup");
    /** Values above this mean no limit in version 1, which then shows the largest number of pages. */
    private static final long NO_LIMIT_OF_VERSION_1 = 1L << 62;

    private ContainerMemory() {}

    /** Returns the limit of this process in bytes, or {@link #UNLIMITED}. */
    static long limitBytes() {
        return limitBytes(MEMBERSHIP, CONTROL_GROUPS);
    }

    /**
     * Returns the smallest limit of the control group and its parents.
     *
     * @param membership lines of {@code number:controllers:path}
     * @param mounted where the control groups are mounted
     */
    static long limitBytes(Path membership, Path mounted) {
        List<String> lines;
        try {
            lines = Files.readAllLines(membership);
        } catch (IOException e) {
            return UNLIMITED;
        }
        long least = UNLIMITED;
        for (String line : lines) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            if (parts[1].isEmpty()) {
                least = Math.min(least, leastUpwards(mounted, parts[2], "memory.max"));
            } else if (List.of(parts[1].split(",")).contains("memory")) {
                least = Math.min(least, leastUpwards(mounted.resolve("memory"), parts[2], "memory.limit_in_bytes"));
            }
        }
        return least;
    }

    /**
     * A group that is invisible inside the container has no files; the container's own group is then the mounted root.
     */
    private static long leastUpwards(Path root, String group, String file) {
        Path at = root.resolve(group.substring(Math.min(1, group.length()))).normalize();
        long least = UNLIMITED;
        while (at != null && at.startsWith(root)) {
            least = Math.min(least, limitIn(at.resolve(file)));
            at = at.getParent();
        }
        return Math.min(least, limitIn(root.resolve(file)));
    }

    private static long limitIn(Path file) {
        try {
            String text = Files.readString(file).strip();
            long bytes = text.equals("max") ? UNLIMITED : Long.parseLong(text);
            return bytes >= NO_LIMIT_OF_VERSION_1 ? UNLIMITED : bytes;
        } catch (IOException | NumberFormatException e) {
            return UNLIMITED;
        }
    }
}
