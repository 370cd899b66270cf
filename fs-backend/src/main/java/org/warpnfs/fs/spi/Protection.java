package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * The attributes of a file that decide access to it.
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
    /** The protection of a file with these attributes and, unless null, this access control list. */
    public static Protection of(FileAttributes file, @Nullable PosixAcl acl) {
        return new Protection(file.type(), file.permissions(), file.uid(), file.gid(), acl);
    }
}
