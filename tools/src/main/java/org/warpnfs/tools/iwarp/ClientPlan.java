package org.warpnfs.tools.iwarp;

import java.net.InetSocketAddress;
import org.warpnfs.iwarp.mpa.MpaChoices;

/**
 * What a client shall do.
 *
 * @param server whom to test
 * @param sizeBytes of each message; a ping has at least {@link PingText#MIN_BYTES}
 * @param count messages, or pings of each connection; 0 to connect and disconnect only; ignored if {@code seconds} is
 *     not 0
 * @param seconds how long, 0 for as long as {@code count} takes
 * @param depth messages on their way at one time, at most
 * @param peerReceives receives that the server keeps posted, for {@link TestKind#SEND_BW}
 * @param connections how many at once, for {@link TestKind#PING}
 * @param patienceSeconds without any progress before the test has failed
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

    /** Whether another message may be started, of which {@code started} were. */
    boolean wantsMore(long started, long elapsedNanos) {
        return seconds > 0 ? elapsedNanos < seconds * 1_000_000_000L : started < count;
    }
}
