package org.warpnfs.tools.iwarp;

import java.net.InetSocketAddress;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.limits.FpduSize;

/**
 * The plan of a client.
 *
 * @param server the server to test
 * @param sizeBytes the size of each message; a ping has at least {@link PingText#MIN_BYTES}
 * @param count messages, or pings of each connection; 0 to connect and disconnect only; ignored if {@code seconds} is
 *     not 0
 * @param seconds how long to test; 0 for as long as {@code count} takes
 * @param depth the most messages in flight
 * @param peerReceives the receives that the server keeps posted, for {@link TestKind#SEND_BW}
 * @param connections the number of simultaneous connections, for {@link TestKind#PING}
 * @param patienceSeconds the time without progress after which the test has failed
 * @param mpa how connections are started
 * @param fpdus how long the FPDUs that are sent may be
 * @param operation what each message is
 */
public record ClientPlan(
        TestKind kind,
        InetSocketAddress server,
        int sizeBytes,
        long count,
        long seconds,
        int depth,
        int peerReceives,
        int connections,
        int patienceSeconds,
        MpaChoices mpa,
        FpduSize fpdus,
        TestOperation operation) {
    public ClientPlan {
        if (sizeBytes < 1 || count < 0 || seconds < 0 || depth < 1 || peerReceives < 2 || connections < 1) {
            throw new IllegalArgumentException("sizes, depths and connections are at least 1: " + sizeBytes + ", "
                    + count + ", " + seconds + ", " + depth + ", " + peerReceives + ", " + connections);
        }
        if (operation != TestOperation.PLAIN && sizeBytes != TestOperation.WORD_BYTES) {
            throw new IllegalArgumentException("words of " + sizeBytes + " bytes");
        }
        boolean atomic = operation == TestOperation.FETCH_ADD || operation == TestOperation.COMPARE_SWAP;
        if (atomic != (kind == TestKind.ATOMIC_LAT)
                || (operation == TestOperation.IMMEDIATE && kind != TestKind.SEND_LAT)) {
            throw new IllegalArgumentException(operation + " in " + kind);
        }
    }

    /**
     * Creates the plan of a test with the operation that it is named after; for atomic operations FetchAdd. FPDUs fit
     * TCP segments.
     */
    public ClientPlan(
            TestKind kind,
            InetSocketAddress server,
            int sizeBytes,
            long count,
            long seconds,
            int depth,
            int peerReceives,
            int connections,
            int patienceSeconds,
            MpaChoices mpa) {
        this(
                kind,
                server,
                sizeBytes,
                count,
                seconds,
                depth,
                peerReceives,
                connections,
                patienceSeconds,
                mpa,
                FpduSize.MSS,
                kind == TestKind.ATOMIC_LAT ? TestOperation.FETCH_ADD : TestOperation.PLAIN);
    }

    /** A copy whose messages are these. */
    public ClientPlan with(TestOperation other) {
        return new ClientPlan(
                kind,
                server,
                sizeBytes,
                count,
                seconds,
                depth,
                peerReceives,
                connections,
                patienceSeconds,
                mpa,
                fpdus,
                other);
    }

    /** Returns whether another message is to be sent after {@code started} messages. */
    boolean wantsMore(long started, long elapsedNanos) {
        return seconds > 0 ? elapsedNanos < seconds * 1_000_000_000L : started < count;
    }
}
