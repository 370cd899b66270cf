package org.warpnfs.rpcrdma.tcp;

import org.warpnfs.limits.LineSharers;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The objects that all connections of one listener share.
 *
 * @param givers connections whose peers owe the rest of a record
 * @param takers connections whose peers have to take replies
 */
record ListenerContext(
        TcpOptions options,
        TransportStatistics statistics,
        RecordMemory memory,
        ReplyMemory replies,
        LineSharers givers,
        LineSharers takers,
        LogLimiter log) {
    ListenerContext(TcpOptions options, TransportStatistics statistics) {
        this(
                options,
                statistics,
                new RecordMemory(options.maxRecordMemoryBytes(), statistics),
                new ReplyMemory(options, statistics),
                new LineSharers(),
                new LineSharers(),
                new LogLimiter());
    }
}
