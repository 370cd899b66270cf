package org.warpnfs.fs.spi;

import java.util.List;
import org.warpnfs.keys.KeyedHash;

/**
 * The user on whose behalf a call is made, after any squashing.
 *
 * @param uid unsigned 32 bits, 0 for the superuser
 * @param gid primary group, unsigned 32 bits
 * @param groups supplementary groups, unsigned 32 bits each
 */
public record Caller(long uid, long gid, List<Long> groups) {
    /** The superuser. The server's own calls are made as this caller. */
    public static final Caller ROOT = new Caller(0, 0, List.of());

    public Caller {
        if (uid >>> 32 != 0 || gid >>> 32 != 0) {
            throw new IllegalArgumentException("uid " + uid + " or gid " + gid + " is wider than 32 bits");
        }
        groups = List.copyOf(groups);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(uid << 32 | gid, KeyedHash.ofAny(groups));
    }

    public boolean isSuperuser() {
        return uid == 0;
    }

    /** True if {@code group} is the caller's group or one of its supplementary groups. */
    public boolean isMemberOf(long group) {
        return gid == group || groups.contains(group);
    }
}
