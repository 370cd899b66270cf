package org.warpnfs.server.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The budgets of the whole server: their names, and the values for their use and size. */
final class BudgetTable {
    /**
     * One budget.
     *
     * @param used the counter of the current use
     * @param limit the value of the size; {@code limit_} and the name in docs/limits.md if there is no counter of it
     */
    private record Budget(String name, String used, String limit) {}

    private static final List<Budget> ALL = List.of(
            new Budget("payload_bytes", "payload_lent_bytes", "payload_budget_bytes"),
            new Budget("descriptors", "descriptors_used_by_files", "descriptors_limit"),
            new Budget("rdma_connections", "rdma_connections_open", "limit_rdma_connections"),
            new Budget("tcp_connections", "tcp_connections_open", "limit_tcp_connections"),
            new Budget("rdma_receive_buffers", "rdma_receive_buffers_held", "limit_rdma_receive_buffers"),
            new Budget("rdma_reply_bytes", "rdma_reply_bytes_held", "limit_rdma_reply_bytes"),
            new Budget("rdma_exposed_bytes", "rdma_exposed_bytes", "limit_rdma_exposed_bytes"),
            new Budget("tcp_record_bytes", "tcp_record_memory_bytes", "limit_tcp_record_bytes"),
            new Budget("tcp_reply_bytes", "tcp_reply_bytes_held", "limit_tcp_reply_bytes"),
            new Budget("iwarp_registered_bytes", "iwarp_registered_bytes", "limit_iwarp_registered_bytes"),
            new Budget("iwarp_receives", "iwarp_posted_receives", "limit_iwarp_receives"),
            new Budget("iwarp_receive_bytes", "iwarp_posted_receive_bytes", "limit_iwarp_receive_bytes"),
            new Budget("iwarp_inbound_reads", "iwarp_inbound_reads", "limit_iwarp_inbound_reads"),
            new Budget("kept_reply_bytes", "replies_kept_bytes", "limit_kept_reply_bytes"),
            new Budget("state_kept_reply_bytes", "state_kept_reply_bytes", "limit_state_kept_reply_bytes"),
            new Budget("state_clients", "state_clients", "limit_state_clients"),
            new Budget("state_sessions", "state_sessions", "limit_state_sessions"),
            new Budget("state_opens", "state_opens", "limit_state_opens"),
            new Budget("state_locks", "state_locks", "limit_state_locks"),
            new Budget("state_delegations", "state_delegations", "limit_state_delegations"));

    private BudgetTable() {}

    static List<Metric> metrics() {
        return List.of(
                metric(
                        "budget_used",
                        Budget::used,
                        "Current use of a budget of the whole server, in bytes or in pieces as the "
                                + "budget's name says"),
                metric("budget_limit", Budget::limit, "Size of the budget"));
    }

    private static Metric metric(String name, Function<Budget, String> source, String help) {
        Map<String, String> labels = new LinkedHashMap<>();
        ALL.forEach(budget -> labels.put(source.apply(budget), budget.name()));
        return Metric.levels(name, "budget", labels, help);
    }
}
