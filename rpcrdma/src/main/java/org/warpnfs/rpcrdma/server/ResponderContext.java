package org.warpnfs.rpcrdma.server;

import org.warpnfs.limits.LineSharers;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.credit.ClientBudget;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The objects that all connections of one responder share.
 *
 * @param exposedBytes the budget of replies that requesters read themselves
 * @param replyBytes the budget of the memory that replies hold outside the pool
 * @param givers connections whose requesters have to answer RDMA Reads
 * @param takers connections whose requesters have to take replies
 */
record ResponderContext(
        ResponderOptions options,
        PayloadPool pool,
        ReceiveSlabs receives,
        ClientBudget exposedBytes,
        ClientBudget replyBytes,
        LineSharers givers,
        LineSharers takers,
        TransportStatistics statistics,
        LogLimiter log,
        UnfitReplies unfit,
        InboundHandlerFactory handlers) {}
