package org.warpnfs.server.watch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.nfs.export.Export;

/** The data of the status page as one JSON object. Contains no clients. */
final class Status {
    private Status() {}

    /** @param values the counters by name */
    static String of(String version, Verdict ready, List<Export> exports, Map<String, Number> values, History history) {
        Map<String, Object> status = summary(version, ready, values);
        List<Map<String, Object>> shown = new ArrayList<>();
        for (Export export : exports) {
            shown.add(Map.of("path", export.path().toString(), "source", export.source()));
        }
        status.put("exports", shown);
        status.put("intervalSeconds", Watch.INTERVAL_SECONDS);
        status.put("history", history.intervals());
        return Json.of(status);
    }

    /** Returns the data without the long lists. */
    static Map<String, Object> summary(String version, Verdict ready, Map<String, Number> values) {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("version", version);
        status.put("ready", ready.good());
        status.put("state", ready.reason());
        status.put(
                "uptimeSeconds",
                Math.max(
                        0,
                        System.currentTimeMillis() / 1000
                                - values.getOrDefault("process_start_seconds", 0)
                                        .longValue()));
        Map<String, Object> counts = new LinkedHashMap<>();
        count(counts, values, "RDMA connections", "rdma_connections_open");
        count(counts, values, "TCP connections", "tcp_connections_open");
        count(counts, values, "NFSv4 clients", "state_clients");
        count(counts, values, "sessions", "state_sessions");
        count(counts, values, "open files", "state_opens");
        count(counts, values, "locks", "state_locks");
        count(counts, values, "delegations", "state_delegations");
        status.put("counts", counts);
        List<Map<String, Object>> pressure = new ArrayList<>();
        pressure.add(budget(values, "payload memory", "payload_lent_bytes", "payload_budget_bytes", true));
        pressure.add(budget(values, "heap", "jvm_heap_used_bytes", "jvm_heap_max_bytes", true));
        pressure.add(budget(values, "files open", "descriptors_used_by_files", "descriptors_limit", false));
        pressure.add(budget(values, "descriptors", "process_open_descriptors", "process_max_descriptors", false));
        pressure.add(budget(values, "RDMA credits", "rdma_credits_in_use", "rdma_credits_granted", false));
        status.put("pressure", pressure);
        Map<String, Object> waiting = new LinkedHashMap<>();
        count(waiting, values, "short lane", "lanes_waiting_short");
        count(waiting, values, "data lane", "lanes_waiting_data");
        count(waiting, values, "long lane", "lanes_waiting_long");
        count(waiting, values, "payload memory", "payload_waiting");
        status.put("waiting", waiting);
        return status;
    }

    private static void count(Map<String, Object> into, Map<String, Number> values, String name, String counter) {
        into.put(name, values.getOrDefault(counter, 0));
    }

    private static Map<String, Object> budget(
            Map<String, Number> values, String name, String used, String limit, boolean bytes) {
        Map<String, Object> budget = new LinkedHashMap<>();
        budget.put("name", name);
        budget.put("used", values.getOrDefault(used, 0));
        budget.put("limit", values.getOrDefault(limit, 0));
        budget.put("bytes", bytes);
        return budget;
    }
}
