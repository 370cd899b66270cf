package org.warpnfs.nfs.v4.state.core;

/**
 * Limits of the state that clients may have. Limits of all clients are shared by client addresses. An address may take
 * more as long as it has no more than what is left. So a single address gets half, and a newcomer finds some unless
 * many addresses have taken all they could before. Before a client is refused, others are removed: those whose lease
 * has run out, and those that were never confirmed or have no state. A client that is refused gets an error that it
 * does not repeat: SERVERFAULT, in NFSv4.0 RESOURCE, and NOSPC from CREATE_SESSION.
 *
 * @param maxClients client records, confirmed or not
 * @param maxSessionsPerClient sessions of one client
 * @param maxSessions sessions of all clients
 * @param maxSlotsPerSession requests that one session may have in progress; the first slot keeps a reply of
 *     {@code maxCachedReplyBytes} whatever others keep
 * @param maxCachedReplyBytes one reply in that cache
 * @param maxRequestBytes one COMPOUND, with data that may travel in chunks
 * @param maxReplyBytes one reply, with data that may travel in chunks
 * @param maxOperations operations of one COMPOUND
 * @param maxConnectionsPerSession connections remembered as bound to one session
 * @param maxOpensPerClient open files of one client
 * @param maxOpens open files of all clients
 * @param maxLockOwnersPerOpen lock stateids below one open
 * @param maxLocksPerClient byte ranges locked by one client, and its lock stateids
 * @param maxLocks byte ranges locked on all files, and lock stateids
 * @param maxReplyCacheBytes what all slots of all sessions but the first of each may keep
 * @param maxDelegations of all clients, including revoked ones until they are freed
 * @param courtesyLeases for how many leases a silent client keeps its state if no other client needs it
 */
public record StateLimits(
        int maxClients,
        int maxSessionsPerClient,
        int maxSessions,
        int maxSlotsPerSession,
        int maxCachedReplyBytes,
        int maxRequestBytes,
        int maxReplyBytes,
        int maxOperations,
        int maxConnectionsPerSession,
        int maxOpensPerClient,
        int maxOpens,
        int maxLockOwnersPerOpen,
        int maxLocksPerClient,
        int maxLocks,
        long maxReplyCacheBytes,
        int maxDelegations,
        int courtesyLeases) {
    /** Generous length of a COMPOUND around one READ or WRITE, without the data. */
    public static final int COMPOUND_OVERHEAD_BYTES = 64 * 1024;

    // Measured as differences of class histograms, with names and owners of 1,024 bytes and a file for each open; what
    // is counted is some tenth more. With compact references and object headers of 12 bytes.

    /** A client record. */
    public static final int CLIENT_BYTES = 1_664;
    /** A session that has used 64 slots, and has 64 connections; without replies. */
    public static final int SESSION_BYTES = 16_384;
    /** An open, with what the state has for its file. */
    public static final int OPEN_BYTES = 2_688;
    /** An owner of NFSv4.0 whose last reply is the refusal of a lock that such an owner holds. */
    public static final int OWNER_BYTES = 1_920;
    /** A lock stateid, without its owner of NFSv4.0. */
    public static final int LOCK_STATEID_BYTES = 1_344;

    public static final int RANGE_BYTES = 224;
    /** A delegation, with what the state has for its file. */
    public static final int DELEGATION_BYTES = 1_920;

    /** Limits for data of up to {@code maxIoBytes} in one READ or WRITE. */
    public static StateLimits forIoOf(int maxIoBytes) {
        return new StateLimits(
                8 * 1024,
                16,
                8 * 1024,
                64,
                8 * 1024,
                maxIoBytes + COMPOUND_OVERHEAD_BYTES,
                maxIoBytes + COMPOUND_OVERHEAD_BYTES,
                64,
                64,
                16 * 1024,
                64 * 1024,
                1024,
                32 * 1024,
                256 * 1024,
                32L << 20,
                16 * 1024,
                960);
    }

    /** Heap that clients and sessions may take, with the reply that the first slot of each session keeps. */
    public long clientBytes() {
        return maxClients * (long) CLIENT_BYTES + maxSessions * ((long) SESSION_BYTES + maxCachedReplyBytes);
    }

    /** Heap that opens, locks and delegations may take, with the longest owners. */
    public long fileBytes() {
        return maxOpens * (long) (OPEN_BYTES + OWNER_BYTES)
                + maxLocks * (long) (LOCK_STATEID_BYTES + OWNER_BYTES + RANGE_BYTES)
                + maxDelegations * (long) DELEGATION_BYTES;
    }

    /** These limits with another limit of kept replies. */
    public StateLimits withReplyCacheBytes(long bytes) {
        return new StateLimits(
                maxClients,
                maxSessionsPerClient,
                maxSessions,
                maxSlotsPerSession,
                maxCachedReplyBytes,
                maxRequestBytes,
                maxReplyBytes,
                maxOperations,
                maxConnectionsPerSession,
                maxOpensPerClient,
                maxOpens,
                maxLockOwnersPerOpen,
                maxLocksPerClient,
                maxLocks,
                bytes,
                maxDelegations,
                courtesyLeases);
    }
}
