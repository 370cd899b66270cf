package org.warpnfs.tools.iwarp;

import java.net.InetSocketAddress;
import org.warpnfs.iwarp.mpa.MpaChoices;

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
        MpaChoices mpa) {
    public ClientPlan {
        if (sizeBytes < 1 || count < 0 || seconds < 0 || depth < 1 || peerReceives < 2 || connections < 1) {
            throw new IllegalArgumentException("sizes, depths and connections are at least 1: " + sizeBytes + ", "
                    + count + ", " + seconds + ", " + depth + ", " + peerReceives + ", " + connections);
        }
    }

    /** Returns whether another message is to be sent after {@code started} messages. */
    boolean wantsMore(long started, long elapsedNanos) {
        return seconds > 0 ? elapsedNanos < seconds * 1_000_000_000L : started < count;
    }
}
