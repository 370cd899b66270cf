package org.warpnfs.fs.local;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FsException;

/**
 * Compares the served directory, which is held open, with the directory at its path now.
 *
 * <p>The two differ after the directory was renamed, removed, unmounted with {@code umount -l}, or covered by another
 * mount. Clients then read and write files that nobody on the host finds at that path.
 *
 * @param path as the administrator gave it; symbolic links are followed at each comparison
 * @param root the served directory, which stays open as long as this is used
 */
record RootPath(Path path, Fd root) {
    /** Describes the difference; empty if the path leads to the served directory. */
    Optional<String> fault() throws FsException {
        Statx served = AttributeReader.statx(root);
        if (served.linkCount() == 0) {
            return Optional.of("the directory " + path + " was removed");
        }
        try (Fd found = OpenCalls.open(
                path.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8),
                OpenCalls.O_PATH | OpenCalls.O_DIRECTORY)) {
            if (AttributeReader.statx(found).isSameFile(served)) {
                return Optional.empty();
            }
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR) {
                return Optional.of("no directory is at " + path
                        + " any more; the one that was there is still served: it was renamed or unmounted");
            }
            throw Failure.of(e);
        }
        return Optional.of("another directory is at " + path
                + " now; the one that was there before is still served: reload the exports to serve what is there now");
    }
}
