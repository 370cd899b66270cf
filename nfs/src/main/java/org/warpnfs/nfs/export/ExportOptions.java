package org.warpnfs.nfs.export;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How an export is served to the hosts of one rule.
 *
 * @param readOnly nothing in it can be changed
 * @param squash which users become the anonymous user
 * @param anonUid the anonymous user, unsigned 32 bits
 * @param anonGid the anonymous group, unsigned 32 bits
 * @param privilegedPort calls are accepted only from ports below 1024, which a client's host reserves for its superuser
 * @param flavors the accepted credentials, the server's preferred one first; at least one
 * @param byFlavor replaces {@code readOnly} and {@code squash} for calls with such a credential
 */
public record ExportOptions(
        boolean readOnly,
        Squash squash,
        long anonUid,
        long anonGid,
        boolean privilegedPort,
        List<Flavor> flavors,
        Map<Flavor, Access> byFlavor) {
    /** The overflow user and group of Linux, "nobody". */
    public static final long NOBODY = 65534;

    /** rw and root_squash of exports(5); from any port, and also with credentials that name no user. */
    public static final ExportOptions DEFAULTS =
            new ExportOptions(false, Squash.ROOT, NOBODY, NOBODY, false, List.of(Flavor.SYS, Flavor.NONE), Map.of());

    public ExportOptions {
        if (anonUid >>> 32 != 0 || anonGid >>> 32 != 0) {
            throw new IllegalArgumentException(
                    "anonuid " + anonUid + " or anongid " + anonGid + " is wider than 32 bits");
        }
        if (flavors.isEmpty()) {
            throw new IllegalArgumentException("sec= names no kind of credential");
        }
        flavors = List.copyOf(flavors);
        byFlavor = Map.copyOf(byFlavor);
    }

    public ExportOptions withReadOnly(boolean value) {
        return new ExportOptions(value, squash, anonUid, anonGid, privilegedPort, flavors, byFlavor);
    }

    public ExportOptions withSquash(Squash value) {
        return new ExportOptions(readOnly, value, anonUid, anonGid, privilegedPort, flavors, byFlavor);
    }

    public ExportOptions withAnonymous(long uid, long gid) {
        return new ExportOptions(readOnly, squash, uid, gid, privilegedPort, flavors, byFlavor);
    }

    public ExportOptions withPrivilegedPort(boolean value) {
        return new ExportOptions(readOnly, squash, anonUid, anonGid, value, flavors, byFlavor);
    }

    public ExportOptions withFlavors(List<Flavor> value) {
        return new ExportOptions(readOnly, squash, anonUid, anonGid, privilegedPort, value, byFlavor);
    }

    /**
     * Options that may differ from one credential to another.
     *
     * @param readOnly nothing can be changed
     * @param squash which users become the anonymous user
     */
    public record Access(boolean readOnly, Squash squash) {
        public Access withReadOnly(boolean value) {
            return new Access(value, squash);
        }

        public Access withSquash(Squash value) {
            return new Access(readOnly, value);
        }
    }

    /** The options for calls with such a credential. */
    public Access accessBy(Flavor flavor) {
        Access own = byFlavor.get(flavor);
        return own == null ? new Access(readOnly, squash) : own;
    }

    /** These options with another access for calls with that credential. */
    public ExportOptions withAccess(Flavor flavor, Access access) {
        Map<Flavor, Access> more = new EnumMap<>(Flavor.class);
        more.putAll(byFlavor);
        more.put(flavor, access);
        return new ExportOptions(readOnly, squash, anonUid, anonGid, privilegedPort, flavors, more);
    }
}
