package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * What of a file decides who may do what with it.
 *
 * @param permissions the low twelve bits of st_mode
 * @param acl the access control list, or null where the permissions say all
 */
public record Protection(
        FileType type,
        int permissions,
        long uid,
        long gid,
        @Nullable PosixAcl acl) {
    /** Of a file, with the access control list that it has, if any. */
    public static Protection of(FileAttributes file, @Nullable PosixAcl acl) {
        return new Protection(file.type(), file.permissions(), file.uid(), file.gid(), acl);
    }
}
