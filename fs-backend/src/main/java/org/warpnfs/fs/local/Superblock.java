package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * A file system as the kernel has mounted it. All bind mounts of it share one superblock.
 *
 * @param device of the superblock, as in /proc/self/mountinfo; st_dev cannot be used, since each subvolume of btrfs has
 *     another
 */
record Superblock(long device) {
    private static final Path MOUNT_INFO = Path.of("/proc/self/mountinfo");
    /** Length of kind and tree at the start of each handle of this server. */
    private static final int OWN_BYTES = 1 + Long.BYTES;

    /** The superblock that a file is on. */
    static Superblock of(Statx statx) throws IOException {
        String mount = Long.toString(statx.mountId());
        for (String line : Files.readAllLines(MOUNT_INFO, StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split(" ", 4);
            if (fields.length == 4 && fields[0].equals(mount)) {
                int colon = fields[2].indexOf(':');
                return new Superblock(Long.parseLong(fields[2].substring(0, colon)) << 32
                        | Long.parseLong(fields[2].substring(colon + 1)));
            }
        }
        return new Superblock(statx.fileSystemDevice());
    }

    /**
     * The identity of the file that {@code handle} names. If the handle is of this kind and tree, what follows kind and
     * tree identifies the file; else the whole handle does.
     */
    FileIdentity identity(FileHandle handle, byte kind, long treeId) {
        byte[] bytes = handle.toBytes();
        boolean isOurs = bytes.length > OWN_BYTES
                && bytes[0] == kind
                && ByteBuffer.wrap(bytes).getLong(1) == treeId;
        return new FileIdentity(this, isOurs ? FileHandle.of(bytes, OWN_BYTES) : handle);
    }
}
