package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * The access control lists of one file.
 *
 * @param access the access list, or null where the permissions say all
 * @param inherited the default list of a directory, which new files in the directory inherit, or null
 */
public record Acls(@Nullable PosixAcl access, @Nullable PosixAcl inherited) {
    /** The lists of a file that has none. */
    public static final Acls NONE = new Acls(null, null);
}
