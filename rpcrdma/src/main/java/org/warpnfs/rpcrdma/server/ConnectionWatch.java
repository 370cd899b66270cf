package org.warpnfs.rpcrdma.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.limits.RateWatch;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Checks what one connection waits for, each kind of wait separately ({@link PeerDeadlines}).
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * wait for                      | what counts as progress        | when it is over
 * ------------------------------+--------------------------------+------------------------------
 * a first message               | that message                   | the connection ends
 * answers to RDMA Reads         | bytes, at the least rate       | the connection ends
 * replies being taken           | bytes, at the least rate       | the connection ends
 * RDMA_DONE                     | the one that names the reply   | memory taken back, see {@link ExposedReplies}
 * the answer to a call of ours  | that answer                    | the next call has its slot ({@link BackwardChannel})
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * None of its own.
 *
 * <h2>Errors</h2>
 *
 * None. For the owner thread only, except {@link #idleSinceNanos} and {@link #idle}.
 */
final class ConnectionWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionWatch.class);

    private final RpcConnection connection;
    private final ClientAddress client;
    private final ConnectionParts parts;
    private final PeerDeadlines deadlines;
    private final TransportStatistics statistics;
    private final LogLimiter log;
    private final RateWatch reads;
    private final RateWatch replies;
    private boolean looked;
    private long firstLookNanos;
    private boolean spoke;
    private boolean active = true;
    private boolean ended;
    private volatile boolean idle;
    private volatile long idleSinceNanos;

    ConnectionWatch(RpcConnection connection, ClientAddress client, ResponderContext context, ConnectionParts parts) {
        this.connection = connection;
        this.client = client;
        this.parts = parts;
        this.deadlines = context.options().deadlines();
        this.statistics = context.statistics();
        this.log = context.log();
        long least = deadlines.leastBytesPerSecond();
        this.reads =
                new RateWatch(deadlines.stallLimit(), least, context.givers().of(client));
        this.replies =
                new RateWatch(deadlines.stallLimit(), least, context.takers().of(client));
    }

    /** A message has arrived. */
    void received() {
        spoke = true;
        active = true;
    }

    /** Shortens the deadlines, because the connection drains. */
    void drain() {
        reads.hurry(deadlines.whileDraining());
        replies.hurry(deadlines.whileDraining());
    }

    /** The connection has ended. It waits for nothing and no longer shares its client's line. */
    void close() {
        ended = true;
        reads.close();
        replies.close();
    }

    /** True if the last check found nothing to do. */
    boolean idle() {
        return idle;
    }

    /** The time of the first of the latest consecutive checks that found nothing to do. */
    long idleSinceNanos() {
        return idleSinceNanos;
    }

    /**
     * Checks the connection. To be called regularly.
     *
     * @param nowNanos a clock that never goes back
     */
    void look(long nowNanos) {
        if (ended) {
            return;
        }
        if (!looked) {
            looked = true;
            firstLookNanos = nowNanos;
        }
        lookForIdleness(nowNanos);
        parts.calls().answerer().look();
        for (long xid : parts.backward().expire(nowNanos)) {
            statistics.increment(Counter.BACKWARD_CALLS_LOST);
            parts.calls().up().backwardCallLost(xid);
        }
        parts.calls().puller().retry();
        if (parts.exposed().expire(nowNanos)) {
            end(Counter.CONNECTIONS_ABORTED, "RDMA_DONE did not come in time");
        } else if (reads.behind(owedReads(), nowNanos)) {
            statistics.increment(Counter.CONNECTIONS_ABORTED);
            end(Counter.READS_OVERDUE, "RDMA Reads are not answered at the least rate");
        } else if (replies.behind(owedReplies(), nowNanos)) {
            statistics.increment(Counter.CONNECTIONS_ABORTED);
            end(Counter.REPLIES_NOT_TAKEN, "replies are not taken at the least rate");
        } else if (!spoke
                && nowNanos - firstLookNanos > deadlines.firstMessage().toNanos()) {
            statistics.increment(Counter.CONNECTIONS_ABORTED);
            end(Counter.FIRST_MESSAGES_MISSED, "no message came in time");
        }
        parts.queuePair().flush();
    }

    private RateWatch.Progress owedReads() {
        return new RateWatch.Progress(
                parts.calls().puller().wantedBytes(), parts.calls().puller().pulledBytes(), 0);
    }

    private RateWatch.Progress owedReplies() {
        return new RateWatch.Progress(
                parts.sender().untakenBytes(), parts.sender().takenBytes(), 0);
    }

    private void lookForIdleness(long nowNanos) {
        boolean nothingToDo = !active
                && parts.credits().inFlight() == 0
                && parts.sender().idle()
                && parts.exposed().open() == 0;
        if (nothingToDo && !idle) {
            idleSinceNanos = nowNanos;
        }
        idle = nothingToDo;
        active = false;
    }

    private void end(Counter counter, String why) {
        ended = true;
        statistics.increment(counter);
        log.admit(why, client).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "peer")
                .addKeyValue("peer", connection)
                .addKeyValue("cause", why)
                .log("{} is ended: {} ({} more like it)", connection, why, more));
        parts.queuePair().abort(why);
    }
}
