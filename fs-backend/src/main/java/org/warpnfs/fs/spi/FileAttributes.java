package org.warpnfs.fs.spi;

/**
 * Attributes of a file at one moment.
 *
 * @param permissions the low twelve bits of st_mode: rwx for user, group, others, with set-uid, set-gid and sticky
 * @param linkCount number of names
 * @param uid owner, unsigned 32 bits
 * @param gid group, unsigned 32 bits
 * @param sizeBytes length of the contents
 * @param usedBytes space taken on the medium
 * @param deviceMajor of a device file, else 0
 * @param deviceMinor of a device file, else 0
 * @param fileSystemId one number for all files between which link and rename work
 * @param fileId unique within {@code fileSystemId} while the file exists (st_ino)
 * @param accessTime of the last read of contents
 * @param modifyTime of the last change of contents
 * @param changeTime of the last change of contents or attributes
 * @param birthTime of creation, or the oldest of the other times where the backend does not know it
 * @param changeId differs after every change of contents or attributes, even after two changes within one tick of the
 *     clock; {@link FsLimits#changeOrder} says what the order of two ids means
 */
public record FileAttributes(
        FileType type,
        int permissions,
        int linkCount,
        long uid,
        long gid,
        long sizeBytes,
        long usedBytes,
        int deviceMajor,
        int deviceMinor,
        long fileSystemId,
        long fileId,
        Timestamp accessTime,
        Timestamp modifyTime,
        Timestamp changeTime,
        Timestamp birthTime,
        long changeId) {}
