package org.warpnfs.fs.ceph;

import java.time.Duration;

/**
 * How long calls may take before others are answered TRY_LATER in their place.
 *
 * @param slow a call that has run for as long may be waiting for a daemon that does not answer
 * @param maxSlowClients how many clients have such calls in one mount when Ceph is taken for one that does not answer
 * @param maxSlowOfClient limit of such calls of one client, each of which holds a thread
 * @param maxSlowOfFile limit of such calls for one file, which may be all that others keep waiting
 */
record Patience(Duration slow, int maxSlowClients, int maxSlowOfClient, int maxSlowOfFile) {
    static final Patience ORDINARY = new Patience(Duration.ofSeconds(5), 16, 8, 4);

    /** How often the calls are looked at, and a daemon is asked. */
    Duration between() {
        return slow.dividedBy(4);
    }
}
