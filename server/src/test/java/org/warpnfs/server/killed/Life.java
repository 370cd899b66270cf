package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * From one start of the server until it is killed: as long as that, its verifier stays the same. Safe for any thread.
 */
final class Life {
    private final Set<Long> formerVerifiers;
    private final long startNanos = System.nanoTime();
    private final long leaseNanos;
    /** NFSv3's, and that of all of NFSv4. */
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

    /** Of a WRITE or a COMMIT; a client compares it with those of its own version. */
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

    /** The server is told to end, and its clients go on until it does. */
    synchronized void beginStop() {
        stopping = true;
    }

    /** Whether clients make no more calls. */
    synchronized boolean isKilled() {
        return killed;
    }

    /** Whether connections may end. */
    synchronized boolean mayEnd() {
        return killed || stopping;
    }

    /** False once so long has passed that a client may be too late for the grace period. */
    boolean isInTime() {
        return System.nanoTime() - startNanos < leaseNanos;
    }

    long leaseNanos() {
        return leaseNanos;
    }
}
