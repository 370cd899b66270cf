package org.warpnfs.rpcrdma.tcp;

import org.warpnfs.limits.LogLimiter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;

/** What all connections of one listener share. */
record ListenerContext(
        TcpOptions options, TransportStatistics statistics, RecordMemory memory, ReplyMemory replies, LogLimiter log) {
    ListenerContext(TcpOptions options, TransportStatistics statistics) {
        this(
                options,
                statistics,
                new RecordMemory(options.maxRecordMemoryBytes(), statistics),
                new ReplyMemory(options, statistics),
                new LogLimiter());
    }
}
