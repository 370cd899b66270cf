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
 * Which calls of one connection are let in.
 *
 * <h2>Operation</h2>
 *
 * Each call takes a credit. A call whose XID is still in flight is dropped, since the reply to the first answers both.
 *
 * <h2>Buffers</h2>
 *
 * A receive buffer and a credit stay with their call until its answer leaves ({@link ReplySender}).
 *
 * <h2>Errors</h2>
 *
 * A requester that overruns its credits loses the connection. Owner thread only.
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
     * Lets a call in, or drops it.
     *
     * @return whether it is in; then {@link #giveBack(RdmaCall)} follows
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
     * A message that has to be answered has come.
     *
     * @param number of its receive buffer
     * @return whether its sender had a credit left; then {@link #giveBack(int)} follows. If not, the connection ends
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

    /** A call's answer leaves, or it has none. */
    void giveBack(RdmaCall call) {
        xidsInFlight.remove(call.xid());
        giveBack(call.receiveNumber());
    }

    /** The answer to a message leaves. */
    void giveBack(int number) {
        statistics.add(Counter.CREDITS_IN_USE, -1);
        credits.callEnded();
        receives.post(number);
    }
}
