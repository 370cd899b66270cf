package org.warpnfs.server;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.warpnfs.nfs.cluster.ClusterTiming;

/** Pauses of a node. A thread that is interrupted does not pause, and stays interrupted. */
final class Pause {
    private Pause() {}

    static void nanos(long nanos) {
        try {
            Thread.sleep(Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another node was first. If many try, they must not all try again at once. */
    static void beforeNextTry(ClusterTiming timing) {
        nanos(ThreadLocalRandom.current().nextLong(timing.beatNanos() / 4) + 1);
    }
}
