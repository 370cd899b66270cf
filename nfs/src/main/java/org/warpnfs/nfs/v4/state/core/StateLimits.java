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

    private static final int CLIENT_BYTES = 2048;
    private static final int SESSION_BYTES = 1024;
    /** Memory of an open with its open-owner. */
    private static final int OPEN_BYTES = 1024;

    private static final int LOCK_BYTES = 256;
    private static final int DELEGATION_BYTES = 512;

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

    /**
     * Approximate heap that all of this may take: kept replies at their largest, and each record with the longest names
     * that are usual. Used at start to check that the virtual machine is large enough.
     */
    public long heapBytes() {
        return (long) maxSessions * maxCachedReplyBytes
                + maxReplyCacheBytes
                + (long) maxClients * CLIENT_BYTES
                + (long) maxSessions * SESSION_BYTES
                + (long) maxOpens * OPEN_BYTES
                + 2L * maxLocks * LOCK_BYTES
                + (long) maxDelegations * DELEGATION_BYTES;
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
