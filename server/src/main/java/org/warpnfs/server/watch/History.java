package org.warpnfs.server.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.server.metrics.CallTotals;

/**
 * The activity in each of the last intervals: bytes by transport, and calls by operation. Keeps {@value #LENGTH}
 * intervals. Safe for any thread.
 */
final class History {
    static final int LENGTH = 180;

    private static final Map<String, List<String>> BYTES = bytes();

    private final Deque<Map<String, Object>> intervals = new ArrayDeque<>();
    private Map<String, Long> bytesBefore = Map.of();
    private Map<String, CallTotals> callsBefore = Map.of();

    private static Map<String, List<String>> bytes() {
        Map<String, List<String>> bytes = new LinkedHashMap<>();
        bytes.put("rdmaIn", List.of("rdma_inline_received_bytes", "rdma_rdma_read_bytes"));
        bytes.put("rdmaOut", List.of("rdma_inline_sent_bytes", "rdma_write_chunk_bytes", "rdma_reply_chunk_bytes"));
        bytes.put("tcpIn", List.of("tcp_received_bytes"));
        bytes.put("tcpOut", List.of("tcp_sent_bytes"));
        return bytes;
    }

    /**
     * Ends an interval.
     *
     * @param values the counters by name
     */
    synchronized void add(long epochSeconds, Map<String, Number> values, List<CallTotals> calls) {
        Map<String, Object> interval = new LinkedHashMap<>();
        interval.put("time", epochSeconds);
        Map<String, Long> bytesNow = new HashMap<>();
        BYTES.forEach((name, counters) -> {
            long now = counters.stream()
                    .mapToLong(counter -> values.getOrDefault(counter, 0).longValue())
                    .sum();
            bytesNow.put(name, now);
            interval.put(name, now - bytesBefore.getOrDefault(name, now));
        });
        bytesBefore = bytesNow;
        Map<String, CallTotals> callsNow = new HashMap<>();
        Map<String, Object> operations = new TreeMap<>();
        for (CallTotals total : calls) {
            if (isShown(total.what())) {
                String name = nameOf(total.what());
                callsNow.put(name, total);
                CallTotals before = callsBefore.getOrDefault(name, new CallTotals(total.what(), "", 0, 0, 0));
                long count = total.count() - before.count();
                if (count > 0) {
                    operations.put(
                            name, List.of(count, total.nanos() - before.nanos(), total.errors() - before.errors()));
                }
            }
        }
        callsBefore = callsNow;
        interval.put("operations", operations);
        intervals.addLast(interval);
        if (intervals.size() > LENGTH) {
            intervals.removeFirst();
        }
    }

    /** Returns the intervals, the oldest first. */
    synchronized List<Map<String, Object>> intervals() {
        return new ArrayList<>(intervals);
    }

    /** Returns whether a row is shown; a COMPOUND is represented by its operations. */
    private static boolean isShown(Metered what) {
        return !what.operation().equals("COMPOUND");
    }

    private static String nameOf(Metered what) {
        return what.program() + " " + what.version() + " " + what.operation();
    }
}
