package org.warpnfs.rpcrdma.server;

import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.credit.CreditLedger;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * Decides which calls of one connection are admitted.
 *
 * <h2>Operation</h2>
 *
 * Each call takes a credit. A call whose XID is still in flight is dropped, because the reply to the first call answers
 * both.
 *
 * <h2>Buffers</h2>
 *
 * A call holds its receive buffer and its credit until its answer is sent ({@link ReplySender}).
 *
 * <h2>Errors</h2>
 *
 * A requester that exceeds its credits loses the connection. For the owner thread only.
 */
final class CallAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(CallAdmission.class);

    private final RpcConnection connection;
    private final ClientAddress client;
    private final ResponderContext context;
    private final TransportStatistics statistics;
    private final QueuePair queuePair;
    private final ReceiveBuffers receives;
    private final CreditLedger credits;
    private final Set<Long> xidsInFlight = new HashSet<>();

    CallAdmission(RpcConnection connection, ClientAddress client, ResponderContext context, CallLife.Line line) {
        this.connection = connection;
        this.client = client;
        this.context = context;
        this.statistics = context.statistics();
        this.queuePair = line.queuePair();
        this.receives = line.receives();
        this.credits = line.credits();
    }

    /**
     * Admits a call or drops it.
     *
     * @return whether the call was admitted; if so, {@link #giveBack(RdmaCall)} must follow
     */
    boolean admit(RdmaCall call) {
        if (!takeCredit(call.receiveNumber(), call.xid())) {
            return false;
        }
        if (!xidsInFlight.add(call.xid())) {
            statistics.increment(Counter.DUPLICATE_XIDS);
            giveBack(call.receiveNumber());
            return false;
        }
        return true;
    }

    /**
     * Takes a credit for a message that must be answered.
     *
     * @param number the number of its receive buffer
     * @return whether a credit was left; if so, {@link #giveBack(int)} must follow, else the connection ends
     */
    boolean takeCredit(int number, long xid) {
        if (credits.callReceived()) {
            statistics.add(Counter.CREDITS_IN_USE, 1);
            return true;
        }
        statistics.increment(Counter.CREDIT_OVERRUNS);
        statistics.increment(Counter.CONNECTIONS_ABORTED);
        context.log().admit("credit overrun", client).ifPresent(more -> LOG.atInfo()
                .addKeyValue("fault", "peer")
                .addKeyValue("peer", connection)
                .addKeyValue("xid", Long.toHexString(xid))
                .addKeyValue("cause", "credit overrun")
                .log("{} overran its {} credits ({} more like it)", connection, credits.buffers(), more));
        queuePair.abort("credit overrun");
        receives.post(number);
        return false;
    }

    /** Gives back what a call took, because its answer is being sent or it has none. */
    void giveBack(RdmaCall call) {
        xidsInFlight.remove(call.xid());
        giveBack(call.receiveNumber());
    }

    /** Gives back what a message took, because its answer is being sent. */
    void giveBack(int number) {
        statistics.add(Counter.CREDITS_IN_USE, -1);
        credits.callEnded();
        receives.post(number);
    }
}
