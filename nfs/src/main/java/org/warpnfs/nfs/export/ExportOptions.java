package org.warpnfs.nfs.export;

/**
 * How an export is served.
 *
 * @param readOnly nothing in it can be changed
 * @param squash who becomes anonymous
 * @param anonUid the anonymous user, unsigned 32 bits
 * @param anonGid the anonymous group, unsigned 32 bits
 */
public record ExportOptions(boolean readOnly, Squash squash, long anonUid, long anonGid) {
    /** The overflow user and group of Linux, "nobody". */
    public static final long NOBODY = 65534;

    /** As exports(5): rw, root_squash. */
    public static final ExportOptions DEFAULTS = new ExportOptions(false, Squash.ROOT, NOBODY, NOBODY);

    public ExportOptions {
        if (anonUid >>> 32 != 0 || anonGid >>> 32 != 0) {
            throw new IllegalArgumentException(
                    "anonuid " + anonUid + " or anongid " + anonGid + " is wider than 32 bits");
        }
    }

    public ExportOptions withReadOnly(boolean value) {
        return new ExportOptions(value, squash, anonUid, anonGid);
    }

    public ExportOptions withSquash(Squash value) {
        return new ExportOptions(readOnly, value, anonUid, anonGid);
    }
}
