package org.warpnfs.server.watch;

import java.util.List;
import java.util.Map;

/**
 * The bytes that a transport has carried.
 *
 * @param receivedBytes bytes from clients, including RDMA Reads
 * @param sentBytes bytes to clients, including RDMA Writes
 */
public record Throughput(long receivedBytes, long sentBytes) {
    private static final Map<String, List<String>> RECEIVED = Map.of(
            "rdma", List.of("rdma_inline_received_bytes", "rdma_rdma_read_bytes"),
            "tcp", List.of("tcp_received_bytes"));
    private static final Map<String, List<String>> SENT = Map.of(
            "rdma", List.of("rdma_inline_sent_bytes", "rdma_write_chunk_bytes", "rdma_reply_chunk_bytes"),
            "tcp", List.of("tcp_sent_bytes"));

    /**
     * Computes the bytes from all counters.
     *
     * @param transport {@code rdma} or {@code tcp}
     */
    public static Throughput of(String transport, Map<String, Number> counters) {
        return new Throughput(sum(RECEIVED, transport, counters), sum(SENT, transport, counters));
    }

    private static long sum(Map<String, List<String>> names, String transport, Map<String, Number> counters) {
        return names.getOrDefault(transport, List.of()).stream()
                .mapToLong(name -> counters.getOrDefault(name, 0).longValue())
                .sum();
    }
}
