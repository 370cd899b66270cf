package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * The access control lists of one file.
 *
 * @param access who may do what with it, or null where its permissions say all
 * @param inherited the default list of a directory, from which new files in it take theirs, or null
 */
public record Acls(@Nullable PosixAcl access, @Nullable PosixAcl inherited) {
    /** Of a file that has none. */
    public static final Acls NONE = new Acls(null, null);
}
