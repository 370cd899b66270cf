package org.warpnfs.nfs.v4.state;

/**
 * How much clients may make the server remember. Whoever reaches a limit is told to try later (NFS4ERR_DELAY), after clients whose
 * leases ran out have been let go.
 *
 * @param maxClients client records, confirmed or not
 * @param maxSessionsPerClient sessions of one client
 * @param maxSessions sessions of all clients
 * @param maxSlotsPerSession requests that one session may have under way; the size of its reply cache
 * @param maxCachedReplyBytes one reply in that cache
 * @param maxRequestBytes one COMPOUND, unreduced
 * @param maxReplyBytes one reply, unreduced
 * @param maxOperations operations of one COMPOUND
 * @param maxConnectionsPerSession connections remembered as bound to one session
 * @param maxOpensPerClient open files of one client
 * @param maxOpens open files of all clients
 * @param maxLockOwnersPerOpen lock stateids below one open
 * @param maxLocksPerFile byte ranges locked on one file
 * @param maxLocks byte ranges locked on all files, and lock stateids
 * @param maxReplyCacheBytes what the reply caches of all sessions may come to hold
 * @param maxDelegations of all clients, revoked ones included until they are freed
 * @param courtesyLeases how many leases a silent client keeps its state while nobody wants it
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
        int maxLocksPerFile,
        int maxLocks,
        long maxReplyCacheBytes,
        int maxDelegations,
        int courtesyLeases) {
    /** What a COMPOUND around one READ or WRITE takes beside the data, generously. */
    public static final int COMPOUND_OVERHEAD_BYTES = 64 * 1024;

    /** For data of up to {@code maxIoBytes} in one READ or WRITE. */
    public static StateLimits forIoOf(int maxIoBytes) {
        return new StateLimits(
                1024,
                16,
                1024,
                64,
                8 * 1024,
                maxIoBytes + COMPOUND_OVERHEAD_BYTES,
                maxIoBytes + COMPOUND_OVERHEAD_BYTES,
                64,
                64,
                16 * 1024,
                64 * 1024,
                1024,
                4096,
                256 * 1024,
                64L << 20,
                16 * 1024,
                960);
    }
}
