package org.warpnfs.rpcrdma.tcp;

import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.LineSharers;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/**
 * The objects that all connections of one listener share.
 *
 * @param tls null if connections stay in clear
 * @param givers connections whose peers owe the rest of a record
 * @param takers connections whose peers have to take replies
 */
record ListenerContext(
        TcpOptions options,
        TransportStatistics statistics,
        @Nullable TlsContext tls,
        RecordMemory memory,
        ReplyMemory replies,
        LineSharers givers,
        LineSharers takers,
        LogLimiter log) {
    ListenerContext(TcpOptions options, TransportStatistics statistics, @Nullable TlsContext tls) {
        this(
                options,
                statistics,
                tls,
                new RecordMemory(options.maxRecordMemoryBytes(), statistics),
                new ReplyMemory(options, statistics),
                new LineSharers(),
                new LineSharers(),
                new LogLimiter());
    }
}
