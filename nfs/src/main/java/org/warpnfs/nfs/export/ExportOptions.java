package org.warpnfs.nfs.export;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.warpnfs.limits.Protection;

/**
 * How an export is served to the hosts of one rule.
 *
 * @param readOnly nothing in it can be changed
 * @param squash which users become the anonymous user
 * @param anonUid the anonymous user, unsigned 32 bits
 * @param anonGid the anonymous group, unsigned 32 bits
 * @param privilegedPort calls are accepted only from ports below 1024, which a client's host reserves for its superuser
 * @param flavors the accepted credentials, the server's preferred one first; at least one
 * @param protections how connections must be protected; at least one
 * @param transports what NFS calls may come by; at least one
 * @param byFlavor replaces {@code readOnly} and {@code squash} for calls with such a credential
 */
public record ExportOptions(
        boolean readOnly,
        Squash squash,
        long anonUid,
        long anonGid,
        boolean privilegedPort,
        List<Flavor> flavors,
        Set<Protection> protections,
        Set<Transport> transports,
        Map<Flavor, Access> byFlavor) {
    /** The overflow user and group of Linux, "nobody". */
    public static final long NOBODY = 65534;

    /**
     * rw and root_squash of exports(5); from any port, by any transport, with any protection, and also with credentials
     * that name no user.
     */
    public static final ExportOptions DEFAULTS = new ExportOptions(
            false,
            Squash.ROOT,
            NOBODY,
            NOBODY,
            false,
            List.of(Flavor.SYS, Flavor.NONE),
            Set.of(Protection.values()),
            Set.of(Transport.values()),
            Map.of());

    public ExportOptions {
        if (anonUid >>> 32 != 0 || anonGid >>> 32 != 0) {
            throw new IllegalArgumentException(
                    "anonuid " + anonUid + " or anongid " + anonGid + " is wider than 32 bits");
        }
        if (flavors.isEmpty()) {
            throw new IllegalArgumentException("sec= names no kind of credential");
        }
        if (protections.isEmpty()) {
            throw new IllegalArgumentException("xprtsec= names no kind of connection");
        }
        if (transports.isEmpty()) {
            throw new IllegalArgumentException("transport= names no transport");
        }
        flavors = List.copyOf(flavors);
        protections = Set.copyOf(protections);
        transports = Set.copyOf(transports);
        byFlavor = Map.copyOf(byFlavor);
    }

    public ExportOptions withReadOnly(boolean value) {
        return new ExportOptions(
                value, squash, anonUid, anonGid, privilegedPort, flavors, protections, transports, byFlavor);
    }

    public ExportOptions withSquash(Squash value) {
        return new ExportOptions(
                readOnly, value, anonUid, anonGid, privilegedPort, flavors, protections, transports, byFlavor);
    }

    /** These options, but every caller becomes the anonymous user, whatever its credential. */
    public ExportOptions squashingAll() {
        Map<Flavor, Access> all = new EnumMap<>(Flavor.class);
        byFlavor.forEach((flavor, access) -> all.put(flavor, access.withSquash(Squash.ALL)));
        return new ExportOptions(
                readOnly, Squash.ALL, anonUid, anonGid, privilegedPort, flavors, protections, transports, all);
    }

    public ExportOptions withAnonymous(long uid, long gid) {
        return new ExportOptions(
                readOnly, squash, uid, gid, privilegedPort, flavors, protections, transports, byFlavor);
    }

    public ExportOptions withPrivilegedPort(boolean value) {
        return new ExportOptions(readOnly, squash, anonUid, anonGid, value, flavors, protections, transports, byFlavor);
    }

    public ExportOptions withFlavors(List<Flavor> value) {
        return new ExportOptions(
                readOnly, squash, anonUid, anonGid, privilegedPort, value, protections, transports, byFlavor);
    }

    public ExportOptions withProtections(Set<Protection> value) {
        return new ExportOptions(
                readOnly, squash, anonUid, anonGid, privilegedPort, flavors, value, transports, byFlavor);
    }

    public ExportOptions withTransports(Set<Transport> value) {
        return new ExportOptions(
                readOnly, squash, anonUid, anonGid, privilegedPort, flavors, protections, value, byFlavor);
    }

    /**
     * True if {@code secure} does not keep ordinary users of the hosts from naming any user: calls over RDMA come from
     * any port, AUTH_SYS is believed, and not all users become the anonymous one.
     */
    public boolean believesUsersOverRdma() {
        return privilegedPort
                && transports.contains(Transport.RDMA)
                && accepts(Protection.NONE)
                && flavors.contains(Flavor.SYS)
                && accessBy(Flavor.SYS).squash() != Squash.ALL;
    }

    /**
     * True if calls of a connection with that protection are accepted. A connection whose client has shown a
     * certificate is accepted as one that is protected by TLS, too: nothing is gained by refusing the better one.
     */
    public boolean accepts(Protection protection) {
        return protections.contains(protection)
                || (protection == Protection.MUTUAL_TLS && protections.contains(Protection.TLS));
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
        return new ExportOptions(
                readOnly, squash, anonUid, anonGid, privilegedPort, flavors, protections, transports, more);
    }
}
