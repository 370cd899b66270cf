package org.warpnfs.nfs.v4.state.listing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an administrator is told of one state. Names that clients chose are shown as {@link ShownName} has them. Numbers
 * of 64 bits are hexadecimal text, since not every reader of JSON keeps them whole.
 */
public sealed interface StateRow {
    /** Tells it from all others of its kind, for as long as the server runs. */
    String id();

    /**
     * A client.
     *
     * @param owner the name it gave itself
     * @param address where it introduced itself from: an IPv4 address or an IPv6 /64 network
     * @param version {@code 4.0}, or {@code 4.1+} for one that has sessions
     * @param uid who it is by its credential, before any squashing
     * @param confirmed false if it never got beyond EXCHANGE_ID or SETCLIENTID
     * @param expired true if its lease has run out: what it holds goes when someone wants it
     * @param silentSeconds since its last request ended
     * @param callbacks true if a callback would reach it
     * @param requests it sent so far that were executed
     * @param underWay of these, that are being executed
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
     * @param callbackConnections that callbacks may go over
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
     * @param file its identity, the same through whatever export it was opened
     * @param path where it is on this host; null if the backend does not say
     * @param access {@code read}, {@code write} or {@code both}
     * @param deny what others may not: as {@code access}, or {@code none}
     * @param lockOwners that have locked ranges of it below this open
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
     * @param rangeCount how many there are
     * @param revoked true if an administrator has taken them away and the client has not said yet that it knows
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
     * @param kind {@code read}: others are not granted
     * @param phase {@code held}, {@code recalled} or {@code revoked}
     */
    record DelegationRow(
            String id, String client, String file, @Nullable String path, String kind, String phase)
            implements StateRow {}
}
