package org.warpnfs.nfs.v4.state.listing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data that an administrator sees of one state. Names that clients chose are shown by {@link ShownName}. Numbers of
 * 64 bits are hexadecimal text, since some readers of JSON do not preserve them.
 */
public sealed interface StateRow {
    /** Unique among the rows of its kind, for as long as the server runs. */
    String id();

    /**
     * A client.
     *
     * @param owner the client owner, its own name for itself
     * @param address from which it registered: an IPv4 address or an IPv6 /64 network
     * @param version {@code 4.0}, or {@code 4.1+} for a client that has sessions
     * @param uid user of its credential, before any squashing
     * @param confirmed false if it has sent only EXCHANGE_ID or SETCLIENTID
     * @param expired true if its lease has run out, so that its state is removed when another client needs it
     * @param silentSeconds time since its last request ended
     * @param callbacks true if a callback would reach it
     * @param requests number of its requests that were executed
     * @param underWay number of these that are still being executed
     * @param locks byte ranges
     */
    record ClientRow(
            String id,
            String owner,
            String address,
            String version,
            long uid,
            boolean confirmed,
            boolean expired,
            long silentSeconds,
            boolean callbacks,
            long requests,
            int underWay,
            int sessions,
            int opens,
            int locks,
            int delegations)
            implements StateRow {}

    /**
     * A session of NFSv4.1 or later.
     *
     * @param client its id
     * @param slots that were granted
     * @param targetSlots that the client should use now
     * @param connections that its requests came on, by transport and remote address
     * @param callbackConnections that callbacks may use
     */
    record SessionRow(
            String id,
            String client,
            int slots,
            int targetSlots,
            List<String> connections,
            List<String> callbackConnections)
            implements StateRow {}

    /**
     * A file that an open-owner has open.
     *
     * @param client its id
     * @param file identity of the file, the same through all exports
     * @param path of the file on this host; null if the backend does not know it
     * @param access {@code read}, {@code write} or {@code both}
     * @param deny access that others must not have: as {@code access}, or {@code none}
     * @param lockOwners number of lock-owners that have locked ranges of it below this open
     */
    record OpenRow(
            String id,
            String client,
            String owner,
            String file,
            @Nullable String path,
            String access,
            String deny,
            int lockOwners)
            implements StateRow {}

    /**
     * The byte ranges that a lock-owner has locked of a file.
     *
     * @param ranges the first {@value #MAX_RANGES}
     * @param rangeCount number of all of them
     * @param revoked true if an administrator has revoked them and the client has not acknowledged that yet
     */
    record LockRow(
            String id,
            String client,
            String owner,
            String file,
            @Nullable String path,
            List<RangeRow> ranges,
            int rangeCount,
            boolean revoked)
            implements StateRow {
        public static final int MAX_RANGES = 16;
    }

    /**
     * A locked range.
     *
     * @param kind {@code read} or {@code write}
     * @param first its first byte, a decimal number
     * @param last its last byte; 18446744073709551615 for the end of the file, wherever that will be
     */
    record RangeRow(String kind, String first, String last) {}

    /**
     * A delegation.
     *
     * @param kind {@code read}: other kinds are not granted
     * @param phase {@code held}, {@code recalled} or {@code revoked}
     */
    record DelegationRow(
            String id, String client, String file, @Nullable String path, String kind, String phase)
            implements StateRow {}

    /**
     * A layout of a file (pNFS).
     *
     * @param path of the file on this host; null if the client does not have it open, or the backend does not know it
     * @param iomode {@code read}, {@code write}, {@code both}, or {@code none} when it was returned
     * @param phase {@code held}, {@code recalled} or {@code revoked}
     */
    record LayoutRow(
            String id, String client, String file, @Nullable String path, String iomode, String phase)
            implements StateRow {}
}
