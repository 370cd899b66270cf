package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The time from one start of the server until it ends. Its write verifier must stay the same during that time. Safe for
 * any thread.
 */
final class Life {
    private final Set<Long> formerVerifiers;
    private final long startNanos = System.nanoTime();
    private final long leaseNanos;
    /** The verifier of NFSv3 (key true) and the verifier that all minor versions of NFSv4 share (key false). */
    private final Map<Boolean, Long> verifiers = new HashMap<>();

    private boolean killed;
    private boolean stopping;

    Life(int leaseSeconds) {
        formerVerifiers = new HashSet<>();
        leaseNanos = TimeUnit.SECONDS.toNanos(leaseSeconds);
    }

    private Life(Life former) {
        formerVerifiers = new HashSet<>(former.formerVerifiers);
        formerVerifiers.addAll(former.verifiers.values());
        leaseNanos = former.leaseNanos;
    }

    synchronized Life next() {
        return new Life(this);
    }

    /** Checks the verifier of a WRITE or a COMMIT. It is compared only with those of the same version of NFS. */
    synchronized void saw(boolean nfs3, long verifier) {
        if (!verifiers.containsKey(nfs3)) {
            assertThat(formerVerifiers)
                    .as("verifiers of servers that were killed")
                    .doesNotContain(verifier);
            verifiers.put(nfs3, verifier);
        }
        assertThat(verifier).as("the verifier of one server").isEqualTo(verifiers.get(nfs3));
    }

    synchronized void beginKill() {
        killed = true;
    }

    /** Notes that the server was told to end. Clients go on until it does. */
    synchronized void beginStop() {
        stopping = true;
    }

    /** Returns whether clients must stop making calls. */
    synchronized boolean isKilled() {
        return killed;
    }

    /** Returns whether connections may end. */
    synchronized boolean mayEnd() {
        return killed || stopping;
    }

    /** Returns false if so much time has passed that a client may miss the grace period. */
    boolean isInTime() {
        return System.nanoTime() - startNanos < leaseNanos;
    }

    long leaseNanos() {
        return leaseNanos;
    }
}
