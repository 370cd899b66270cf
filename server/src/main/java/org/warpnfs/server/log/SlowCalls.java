package org.warpnfs.server.log;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.stats.CallTrail;
import org.warpnfs.nfs.stats.Metered;

/**
 * Logs slow calls, measured from their complete arrival until their reply has been sent: procedure, client, and where
 * the time went. At most one line a minute for each client and procedure.
 *
 * <p>The wait of a reply is checked for each call, but the exact clock is read only if a coarse clock has moved a step.
 * Safe for any thread.
 */
public final class SlowCalls {
    private static final Logger LOG = LoggerFactory.getLogger(SlowCalls.class);

    private static final long NOBODY_KNOWS = -1;

    private final long limitNanos;
    private final LogLimiter lines;
    private final LongSupplier steps;
    private final LongSupplier clockNanos;

    /**
     * @param limit calls that took at least this long are logged
     * @param steps a coarse clock whose steps are short compared with the limit
     */
    public SlowCalls(Duration limit, LongSupplier steps) {
        this(limit, new LogLimiter(), steps, System::nanoTime);
    }

    /** @param clockNanos the clock of the trails */
    SlowCalls(Duration limit, LogLimiter lines, LongSupplier steps, LongSupplier clockNanos) {
        this.limitNanos = limit.toNanos();
        this.lines = lines;
        this.steps = steps;
        this.clockNanos = clockNanos;
    }

    /** Called when a call has ended and its reply is about to be sent. */
    public void ended(CallTrail trail) {
        boolean slow = trail.totalNanos() >= limitNanos;
        long step = steps.getAsLong();
        boolean told = trail.origin().onReplyLeft(() -> {
            if (slow || steps.getAsLong() != step) {
                sent(trail);
            }
        });
        if (slow && !told) {
            log(trail, NOBODY_KNOWS);
        }
    }

    private void sent(CallTrail trail) {
        long sendNanos = clockNanos.getAsLong() - trail.endedNanos();
        if (trail.totalNanos() + sendNanos >= limitNanos) {
            log(trail, sendNanos);
        }
    }

    private void log(CallTrail trail, long sendNanos) {
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
                .addKeyValue("backendMillis", TimeUnit.NANOSECONDS.toMillis(trail.backendNanos()))
                .addKeyValue("sendMillis", sendNanos < 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(sendNanos))
                .addKeyValue("cause", "slow call")
                .log(
                        "slow: {} of {} over {} took {}: {}{} ({} more like it)",
                        procedure,
                        peer,
                        trail.origin().transport(),
                        millis(trail.totalNanos()),
                        trail.status(),
                        where(trail, sendNanos),
                        more.getAsLong());
    }

    /** Returns the client's address; all peers without an address share one. */
    private static ClientAddress clientOf(String peer) {
        int colon = peer.lastIndexOf(':');
        if (colon < 0) {
            return ClientAddress.of(new InetSocketAddress(0));
        }
        String host = peer.substring(0, colon);
        // The address is numeric, so no name is looked up.
        return ClientAddress.of(new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), 0));
    }

    /**
     * Returns the times of each operation, or of a procedure without operations, with the part of the backend; then the
     * waits for threads, for memory, and of the reply.
     */
    private static String where(CallTrail trail, long sendNanos) {
        StringBuilder text = new StringBuilder();
        if (trail.operations() == 0) {
            text.append("; ran ")
                    .append(millis(trail.durationNanos() - trail.insideNanos()))
                    .append(inBackend(trail.backendNanos()));
        }
        for (int i = 0; i < trail.kept(); i++) {
            text.append(i == 0 ? "; " : ", ").append(trail.operation(i)).append(' ');
            text.append(millis(trail.operationEndedNanos(i) - trail.operationBeganNanos(i)));
            text.append(inBackend(trail.operationBackendNanos(i)));
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
                .append(sendNanos < 0 ? "" : ", and its reply " + millis(sendNanos) + " to be sent")
                .toString();
    }

    private static String inBackend(long nanos) {
        return nanos == 0 ? "" : " (" + millis(nanos) + " in the backend)";
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
