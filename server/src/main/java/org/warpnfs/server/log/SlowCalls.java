package org.warpnfs.server.log;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.stats.CallTrail;
import org.warpnfs.nfs.stats.Metered;

/**
 * Logs calls that took long, from when they were whole until their reply was made: which, whose, and where the time went. One line a minute for each client and procedure. Safe for any thread.
 */
public final class SlowCalls {
    private static final Logger LOG = LoggerFactory.getLogger(SlowCalls.class);

    private final long limitNanos;
    private final LogLimiter lines;

    /** @param limit calls that took as long or longer are logged */
    public SlowCalls(Duration limit) {
        this(limit, new LogLimiter());
    }

    SlowCalls(Duration limit, LogLimiter lines) {
        this.limitNanos = limit.toNanos();
        this.lines = lines;
    }

    /** A call has ended. */
    public void ended(CallTrail trail) {
        if (trail.totalNanos() >= limitNanos) {
            log(trail);
        }
    }

    private void log(CallTrail trail) {
        Metered call = trail.call();
        String peer = trail.origin().peer();
        OptionalLong more = lines.admit(call.operation(), clientOf(peer));
        if (more.isEmpty()) {
            return;
        }
        String procedure = call.program() + " " + call.version() + " " + call.operation();
        LOG.atWarn()
                .addKeyValue("peer", peer)
                .addKeyValue("xid", Integer.toHexString(trail.origin().xid()))
                .addKeyValue("procedure", procedure)
                .addKeyValue("transport", trail.origin().transport())
                .addKeyValue("status", trail.status())
                .addKeyValue("durationMillis", TimeUnit.NANOSECONDS.toMillis(trail.totalNanos()))
                .addKeyValue("cause", "slow call")
                .log(
                        "slow: {} of {} over {}, XID {}, took {}: {}{} ({} more like it)",
                        procedure,
                        peer,
                        trail.origin().transport(),
                        Integer.toHexString(trail.origin().xid()),
                        millis(trail.totalNanos()),
                        trail.status(),
                        where(trail),
                        more.getAsLong());
    }

    /** A peer that has no address shares one with all of its kind. */
    private static ClientAddress clientOf(String peer) {
        int colon = peer.lastIndexOf(':');
        if (colon < 0) {
            return ClientAddress.of(new InetSocketAddress(0));
        }
        String host = peer.substring(0, colon);
        // An address as digits: no name is looked up.
        return ClientAddress.of(new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), 0));
    }

    /** What each operation took, or a procedure without operations, and what it waited for threads and memory. */
    private static String where(CallTrail trail) {
        StringBuilder text = new StringBuilder();
        if (trail.operations() == 0) {
            text.append("; ran ").append(millis(trail.durationNanos() - trail.insideNanos()));
        }
        for (int i = 0; i < trail.kept(); i++) {
            text.append(i == 0 ? "; " : ", ").append(trail.operation(i)).append(' ');
            text.append(millis(trail.operationEndedNanos(i) - trail.operationBeganNanos(i)));
            if (!trail.operationStatus(i).equals("OK")) {
                text.append(' ').append(trail.operationStatus(i));
            }
        }
        if (trail.operations() > trail.kept()) {
            text.append(", and ").append(trail.operations() - trail.kept()).append(" more");
        }
        return text.append(", waited ")
                .append(millis(trail.origin().waitedNanos()))
                .append(" for its first thread, ")
                .append(millis(trail.insideNanos()))
                .append(" for other threads and memory")
                .toString();
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
