package org.warpnfs.rpcrdma.server;

import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.credit.ByteBudget;
import org.warpnfs.rpcrdma.credit.ReceiveBudget;
import org.warpnfs.rpcrdma.message.InboundHandlerFactory;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/** What all connections of one responder share. */
record ResponderContext(
        ResponderOptions options,
        PayloadPool pool,
        ReceiveBudget receiveBudget,
        ByteBudget exposedBudget,
        TransportStatistics statistics,
        InboundHandlerFactory handlers) {}
