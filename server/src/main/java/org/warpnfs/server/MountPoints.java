package org.warpnfs.server;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads mount points from /proc/self/mountinfo (proc_pid_mountinfo(5)). */
final class MountPoints {
    private static final Path MOUNT_INFO = Path.of("/proc/self/mountinfo");
    /** mount id, parent id, device, root, mount point, ... */
    private static final int MOUNT_POINT_FIELD = 4;

    private static final Logger LOG = LoggerFactory.getLogger(MountPoints.class);

    private MountPoints() {}

    /**
     * Returns the mount points below a directory, without itself, each once; parents come before children.
     *
     * @param directory without symbolic links
     */
    static List<Path> below(Path directory) throws IOException {
        return below(directory, text(Files.readAllBytes(MOUNT_INFO)));
    }

    /** Decodes mountinfo. A mount point's name may contain any bytes, which must not fail the start. */
    static String text(byte[] mountInfo) {
        return new String(mountInfo, StandardCharsets.UTF_8);
    }

    static List<Path> below(Path directory, String mountInfo) {
        TreeSet<Path> found = new TreeSet<>();
        for (String line : Splitter.on('\n').omitEmptyStrings().split(mountInfo)) {
            List<String> fields = Splitter.on(' ').splitToList(line);
            if (fields.size() > MOUNT_POINT_FIELD) {
                try {
                    Path mountPoint = Path.of(unescaped(fields.get(MOUNT_POINT_FIELD)));
                    if (mountPoint.startsWith(directory) && !mountPoint.equals(directory)) {
                        found.add(mountPoint);
                    }
                } catch (InvalidPathException e) {
                    LOG.debug("a mount point whose name cannot be read: {}", e.getMessage());
                }
            }
        }
        return List.copyOf(found);
    }

    /** Decodes blank, tab, newline and backslash, which the kernel writes as three octal digits. */
    private static String unescaped(String field) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '\\' && i + 3 < field.length()) {
                text.append((char) Integer.parseInt(field, i + 1, i + 4, 8));
                i += 3;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
