package org.warpnfs.server.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Bytes of RPC messages by path, from the counters of the transports. */
final class BytesByPath {
    private BytesByPath() {}

    static Metric metric() {
        Map<String, List<String>> sources = new LinkedHashMap<>();
        sources.put("rdma_inline_received_bytes", List.of("received", "inline", "rdma"));
        sources.put("rdma_inline_sent_bytes", List.of("sent", "inline", "rdma"));
        sources.put("rdma_rdma_read_bytes", List.of("received", "read_chunk", "rdma"));
        sources.put("rdma_write_chunk_bytes", List.of("sent", "write_chunk", "rdma"));
        sources.put("rdma_reply_chunk_bytes", List.of("sent", "reply_chunk", "rdma"));
        sources.put("tcp_received_bytes", List.of("received", "stream", "tcp"));
        sources.put("tcp_sent_bytes", List.of("sent", "stream", "tcp"));
        return Metric.totals(
                "rpc_bytes",
                List.of("direction", "path", "transport"),
                sources,
                "Bytes by transport and path: in Sends (inline), fetched from Read chunks such as data of WRITE, "
                        + "put into Write chunks such as data of READ or into Reply chunks, or in the stream of TCP");
    }
}
