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
 * Logs calls that took long: which, whose, and where the time went, as far as is known. One line a minute for each client and procedure. Safe for any thread.
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
        if (trail.durationNanos() >= limitNanos) {
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
                .addKeyValue("status", trail.status())
                .addKeyValue("durationMillis", TimeUnit.NANOSECONDS.toMillis(trail.durationNanos()))
                .addKeyValue("cause", "slow call")
                .log(
                        "slow: {} of {}, XID {}, took {}: {}{} ({} more like it)",
                        procedure,
                        peer,
                        Integer.toHexString(trail.origin().xid()),
                        millis(trail.durationNanos()),
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

    private static String where(CallTrail trail) {
        if (trail.operations() == 0) {
            return "";
        }
        StringBuilder text = new StringBuilder();
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
        return text.append(", waiting for threads and memory ")
                .append(millis(trail.restNanos()))
                .toString();
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
