package org.warpnfs.server.metrics;

import static org.warpnfs.server.metrics.Metric.fed;
import static org.warpnfs.server.metrics.Metric.level;
import static org.warpnfs.server.metrics.Metric.levelOfBoth;
import static org.warpnfs.server.metrics.Metric.levelOfLanes;
import static org.warpnfs.server.metrics.Metric.total;
import static org.warpnfs.server.metrics.Metric.totalOfBoth;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.warpnfs.iwarp.qp.StreamPhase;

/** Every metric of this server: its name, its type and what it means. docs/metrics.md says the same to people. */
public final class MetricTable {
    private static final List<Metric> SERVER = List.of(
            fed(
                    "build_info",
                    Metric.Type.INFO,
                    List.of("java", "version"),
                    "1; the labels say which build runs, on which Java"),
            level("start_time_seconds", "process_start_seconds", "When the process started, in seconds since 1970"),
            level("exports", "server_exports", "Exports that are served"),
            level(
                    "exports_failed",
                    "server_exports_failed",
                    "Exports whose root cannot be read, does not answer, or is not what is at its path now"),
            level("grace", "server_grace", "1 while NFSv4 clients may reclaim what they held before a restart"),
            level("draining", "server_draining", "1 from the moment the server was told to stop"),
            total("traces_sent", "server_traces_sent", "Calls whose spans an OTLP receiver took"),
            total(
                    "traces_dropped",
                    "server_traces_dropped",
                    "Calls that were not told of, since the receiver was too slow"),
            total("traces_failed", "server_traces_failed", "Calls whose spans the receiver did not take"));

    private static final List<Metric> CALLS = List.of(
            fed(
                    "call_duration_seconds",
                    Metric.Type.HISTOGRAM,
                    List.of("operation", "program", "transport", "version"),
                    "Time from the first thread that took a call until its reply was made. Repeated calls that "
                            + "were answered from memory are not here"),
            fed(
                    "call_duration_seconds_max",
                    Metric.Type.GAUGE,
                    List.of("operation", "program", "transport", "version"),
                    "The longest of the last minutes"),
            fed(
                    "call_errors_total",
                    Metric.Type.COUNTER,
                    List.of("operation", "program", "status", "transport", "version"),
                    "Calls that ended with another status than OK"),
            fed(
                    "operation_duration_seconds",
                    Metric.Type.HISTOGRAM,
                    List.of("operation", "transport", "version"),
                    "Time that one operation of a COMPOUND took"),
            fed(
                    "operation_duration_seconds_max",
                    Metric.Type.GAUGE,
                    List.of("operation", "transport", "version"),
                    "The longest of the last minutes"),
            fed(
                    "operation_errors_total",
                    Metric.Type.COUNTER,
                    List.of("operation", "status", "transport", "version"),
                    "Operations of a COMPOUND that ended with another status than OK"));

    private static final List<Metric> BOTH_TRANSPORTS = List.of(
            levelOfBoth("rpc_connections", "connections_open", "Connections that are open"),
            totalOfBoth("rpc_connections_accepted", "connections_accepted", "Connections that were taken"),
            totalOfBoth("rpc_connections_refused", "connections_refused", "Connections refused because of a limit"),
            totalOfBoth("rpc_connections_evicted", "connections_evicted", "Connections ended because others wanted in"),
            totalOfBoth(
                    "rpc_connections_aborted",
                    "connections_aborted",
                    "Connections ended because the peer broke a rule"),
            totalOfBoth("rpc_calls_received", "calls_received", "Calls that came"),
            levelOfBoth("rpc_calls_running", "calls_running", "Calls under way"),
            totalOfBoth("rpc_replies_sent", "replies_sent", "Replies that went out"),
            totalOfBoth(
                    "rpc_calls_dropped",
                    "calls_dropped",
                    "Calls given up without an answer: the connection ended, or drains"),
            levelOfBoth(
                    "rpc_reply_held_bytes",
                    "reply_bytes_held",
                    "Memory of replies that clients have not taken; over TCP also what is set aside for calls "
                            + "that run"),
            totalOfBoth("rpc_reply_memory_waits", "reply_memory_waits", "Calls that waited until replies were taken"),
            totalOfBoth("rpc_memory_waits", "memory_waits", "Calls that waited for memory"),
            totalOfBoth("rpc_backward_calls_sent", "backward_calls_sent", "Callbacks sent on clients' connections"),
            totalOfBoth("rpc_backward_replies_received", "backward_replies_received", "Answers to callbacks"),
            totalOfBoth("rpc_version_denied", "rpc_version_denied", "Calls of another RPC version than 2"),
            totalOfBoth("rpc_auth_denied", "auth_denied", "Calls whose credentials were refused"),
            totalOfBoth("rpc_program_unavailable", "prog_unavail", "Calls of a program that is not served"),
            totalOfBoth("rpc_program_mismatch", "prog_mismatch", "Calls of a version that is not served"),
            totalOfBoth("rpc_garbage_arguments", "garbage_args", "Calls that could not be decoded"),
            totalOfBoth("rpc_system_errors", "system_errors", "Calls that failed by a defect of the server"),
            BytesByPath.metric());

    private static final List<Metric> RDMA = List.of(
            total(
                    "rdma_connections_lost",
                    "rdma_connections_lost",
                    "Connections that ended inside a message, or were reset"),
            total(
                    "rdma_reads_overdue",
                    "rdma_reads_overdue",
                    "Connections ended because RDMA Reads were answered too slowly"),
            total(
                    "rdma_replies_not_taken",
                    "rdma_replies_not_taken",
                    "Connections ended because replies were taken too slowly"),
            total(
                    "rdma_first_messages_missed",
                    "rdma_first_messages_missed",
                    "Connections ended because no message came"),
            total("rdma_terminates_sent", "rdma_terminates_sent", "Streams that the server ended by a Terminate"),
            total("rdma_terminates_received", "rdma_terminates_received", "Streams that the peer ended by a Terminate"),
            total("rdma_long_calls", "rdma_long_calls", "Position-Zero Read chunks: calls that came by RDMA Read"),
            total("rdma_padded_calls", "rdma_padded_calls", "Calls that came as RDMA_MSGP"),
            total("rdma_long_replies", "rdma_long_replies", "Replies that went into a Reply chunk"),
            total(
                    "rdma_backward_calls_lost",
                    "rdma_backward_calls_lost",
                    "Callbacks that were not answered in their time"),
            total("rdma_read_chunks", "rdma_read_chunks", "Read chunks of arguments"),
            total("rdma_write_chunks", "rdma_write_chunks", "Write chunks that were offered"),
            total("rdma_reply_chunks_offered", "rdma_reply_chunks_offered", "Reply chunks that were offered"),
            total("rdma_reads", "rdma_rdma_reads", "RDMA Reads that were issued"),
            level("rdma_reads_outstanding", "rdma_reads_outstanding", "Of those, how many are not answered yet"),
            total("rdma_writes", "rdma_rdma_writes", "RDMA Writes that were issued"),
            total("rdma_invalidations_sent", "rdma_invalidations_sent", "Sends that invalidated an STag of the client"),
            total("rdma_replies_exposed", "rdma_replies_exposed", "Replies that clients were to read themselves"),
            total("rdma_dones_received", "rdma_dones_received", "RDMA_DONE messages"),
            total("rdma_dones_missed", "rdma_dones_missed", "Exposed replies taken back because no RDMA_DONE came"),
            level("rdma_exposed_bytes", "rdma_exposed_bytes", "Reply data that clients may read now"),
            level("rdma_credits_granted", "rdma_credits_granted", "Credits that clients hold"),
            level("rdma_credits_in_use", "rdma_credits_in_use", "Credits that calls hold"),
            level("rdma_receive_buffers_held", "rdma_receive_buffers_held", "Receive buffers that connections hold"),
            total("rdma_receive_slabs", "rdma_receive_slabs", "Slabs of receive buffers that were made; they are kept"),
            total(
                    "rdma_receive_slabs_refused",
                    "rdma_receive_slabs_refused",
                    "Slabs for which there was no direct memory"),
            total("rdma_ord_waits", "rdma_ord_waits", "RDMA Reads that waited for the ORD"),
            total("rdma_registration_waits", "rdma_registration_waits", "Waits for memory that may be registered"),
            total("rdma_err_vers_sent", "rdma_err_vers_sent", "ERR_VERS answers"),
            total(
                    "rdma_err_chunk_malformed_sent",
                    "rdma_err_chunk_malformed_sent",
                    "ERR_CHUNK answers to headers that make no sense"),
            total(
                    "rdma_err_chunk_too_big_sent",
                    "rdma_err_chunk_too_big_sent",
                    "ERR_CHUNK answers where the reply did not fit what was offered"),
            total("rdma_messages_ignored", "rdma_messages_ignored", "Messages that asked for no answer"),
            total("rdma_credit_overruns", "rdma_credit_overruns", "Calls beyond the credits"),
            total(
                    "rdma_duplicate_xids",
                    "rdma_duplicate_xids",
                    "Calls with the XID of one still in flight on their connection"),
            total("rdma_reads_failed", "rdma_reads_failed", "RDMA Reads that failed"));

    private static final List<Metric> TCP = List.of(
            total(
                    "tcp_connections_refused_by_client",
                    "tcp_connections_refused_by_client",
                    "Connections refused because their client has too many"),
            total("tcp_accepts_failed", "tcp_accepts_failed", "Connections not accepted for want of a descriptor"),
            total(
                    "tcp_first_calls_missed",
                    "tcp_first_calls_missed",
                    "Connections ended because no whole call came in time"),
            total("tcp_records_refused", "tcp_records_refused", "Records that were too long or made no sense"),
            total("tcp_records_too_slow", "tcp_records_too_slow", "Connections ended because a record came too slowly"),
            total(
                    "tcp_replies_too_slow",
                    "tcp_replies_too_slow",
                    "Connections ended because replies were taken too slowly"),
            level(
                    "tcp_record_memory_bytes",
                    "tcp_record_memory_bytes",
                    "Length of records that are coming, or that programs read"),
            level("tcp_unsent_bytes", "tcp_unsent_bytes", "Replies that clients have not taken"),
            level(
                    "tcp_calls_held",
                    "tcp_calls_held",
                    "Calls that have not begun, and wait on no thread until replies are taken"),
            total(
                    "tcp_unsent_waits",
                    "tcp_unsent_waits",
                    "Times that a connection started no call because its peer had too much to take"),
            total(
                    "tcp_client_waits",
                    "tcp_client_waits",
                    "Times that a connection started no call because of what its client has in flight"),
            total(
                    "tcp_backward_replies_unexpected",
                    "tcp_backward_replies_unexpected",
                    "Replies to no callback of ours"),
            total(
                    "tcp_backward_calls_refused",
                    "tcp_backward_calls_refused",
                    "Callbacks not sent because the peer does not take them"),
            total("tcp_defects", "tcp_defects", "Replies that could not be sent by a defect of the server"));

    private static final List<Metric> IWARP = List.of(
            level("iwarp_connections", "iwarp_connections", "iWARP connections that are open"),
            level(
                    "iwarp_half_open_connections",
                    "iwarp_half_open_connections",
                    "Of those, how many wait for their peer's first message"),
            Metric.levels(
                    "iwarp_streams",
                    "state",
                    streamStates(),
                    "iWARP connections by state, those of peers and of our own alike"),
            total("iwarp_connections_accepted", "iwarp_accepted", "iWARP connections that were taken"),
            total("iwarp_connections_refused", "iwarp_refused", "iWARP connections closed at once because of a limit"),
            total(
                    "iwarp_connections_evicted",
                    "iwarp_evicted",
                    "iWARP connections closed because they were idle when others wanted in"),
            total(
                    "iwarp_accept_failures",
                    "iwarp_accept_failures",
                    "iWARP connections not accepted for want of a descriptor"),
            total(
                    "iwarp_internal_errors",
                    "iwarp_internal_errors",
                    "iWARP connections ended by a defect of the server"),
            level(
                    "iwarp_registered_bytes",
                    "iwarp_registered_bytes",
                    "Memory that is registered; what connections may need at least is counted in advance"),
            total("iwarp_registrations", "iwarp_registrations", "Regions of memory that were registered"),
            total(
                    "iwarp_invalidations",
                    "iwarp_invalidations",
                    "Of those, how many are valid no more: by their owner, their peer's Send, or the end of "
                            + "their stream"),
            level("iwarp_posted_receives", "iwarp_posted_receives", "Receives that are posted, likewise"),
            level("iwarp_posted_receive_bytes", "iwarp_posted_receive_bytes", "Memory of posted receives, likewise"),
            level(
                    "iwarp_inbound_reads",
                    "iwarp_inbound_reads",
                    "RDMA Reads that peers may have outstanding, as agreed"),
            total(
                    "iwarp_limit_refusals",
                    "iwarp_limit_refusals",
                    "Regions, receives and read depths refused or cut down because of a limit"),
            total(
                    "iwarp_shared_receive_refusals",
                    "iwarp_shared_receive_refusals",
                    "Messages that found no receive in a shared queue"),
            total("iwarp_completion_refusals", "iwarp_completion_refusals", "Completions for which there was no room"),
            total("iwarp_fpdus_sent", "iwarp_fpdus_sent", "FPDUs given to sockets"),
            total("iwarp_fpdus_received", "iwarp_fpdus_received", "FPDUs that arrived whole"),
            total("iwarp_crc_errors", "iwarp_crc_errors", "FPDUs with a wrong CRC; each ended its stream"),
            fed(
                    "iwarp_terminates_total",
                    Metric.Type.COUNTER,
                    List.of("cause", "direction", "layer"),
                    "Terminates by who sent them, layer and error, in the words of RFC 5040, RFC 5041 and RFC 5044"));

    private static final List<Metric> STATE = List.of(
            level("state_clients", "state_clients", "NFSv4 clients"),
            level("state_sessions", "state_sessions", "NFSv4 sessions"),
            level("state_slots", "state_slots", "Slots that NFSv4 sessions have"),
            level("state_slots_in_use", "state_slots_in_use", "Of those, how many have a request under way"),
            total(
                    "state_replies_repeated",
                    "state_replies_repeated",
                    "Repeated requests of sessions that were answered with the reply of their slot"),
            level("state_opens", "state_opens", "Files that NFSv4 clients hold open"),
            level("state_open_owners", "state_open_owners", "Open-owners of NFSv4.0"),
            level("state_locks", "state_locks", "Byte-range locks"),
            level("state_stateids", "state_stateids", "Stateids of opens, locks and delegations"),
            level("state_delegations", "state_delegations", "Delegations"),
            level("state_kept_reply_bytes", "state_kept_reply_bytes", "Replies that sessions keep"),
            total(
                    "state_replies_put_off",
                    "state_replies_put_off",
                    "Requests answered DELAY because their replies could not be kept"),
            total("state_slot_recalls", "state_slot_recalls", "Times that a session was asked for slots"),
            total("state_recalls_sent", "state_recalls_sent", "CB_RECALLs sent, repeated ones among them"),
            total(
                    "state_recalls_failed",
                    "state_recalls_failed",
                    "CB_RECALLs without an answer, or with another than OK"),
            total(
                    "state_recalls_returned",
                    "state_recalls_returned",
                    "Delegations that were given back after they had been recalled"),
            total(
                    "state_recalls_revoked",
                    "state_recalls_revoked",
                    "Delegations that were not given back within a lease"),
            total(
                    "state_connections_not_bound",
                    "state_connections_not_bound",
                    "Connections beyond what their session remembers"),
            total(
                    "state_clients_expired",
                    "state_clients_expired",
                    "Clients let go because they were silent for too long"),
            total("state_refused", "state_refused", "State refused because a client, or its address, had its share"),
            level("replies_kept_bytes", "replies_kept_bytes", "Replies kept for calls without a session"),
            total(
                    "replies_repeated",
                    "replies_repeated",
                    "Repeated calls without a session that were answered from memory"),
            total("replies_dropped", "replies_dropped", "Replies that made room before they were old"),
            total(
                    "replies_dropped_repeatable",
                    "replies_dropped_repeatable",
                    "Replies to WRITEs that made room before they were old"));

    private static final List<Metric> BACKENDS = List.of(
            fed(
                    "backend_duration_seconds",
                    Metric.Type.HISTOGRAM,
                    List.of("call"),
                    "Time that calls of backends took. Of those that are short one in 16 is measured, at random, "
                            + "and counts for 16"),
            fed(
                    "backend_duration_seconds_max",
                    Metric.Type.GAUGE,
                    List.of("call"),
                    "The longest that was measured in the last minutes"),
            total(
                    "backend_syncs",
                    "backend_syncs",
                    "Syncs of files, directories, journals and whole file systems, of local backends"),
            total(
                    "backend_sync_waiters",
                    "backend_sync_waiters",
                    "Operations that waited for one of these: by their number it says how many shared one"),
            total("backend_sync_failures", "backend_sync_failures", "Syncs that failed"));

    private static final List<Metric> RESOURCES = List.of(
            level("payload_budget_bytes", "payload_budget_bytes", "Memory for file data in flight, at most"),
            level("payload_lent_bytes", "payload_lent_bytes", "Of that, how much is lent"),
            level(
                    "payload_allocated_bytes",
                    "payload_allocated_bytes",
                    "Of that, how much was ever taken from the system"),
            total(
                    "payload_failed_allocations",
                    "payload_failed_allocations",
                    "Times that the system had no direct memory"),
            level("payload_waiting", "payload_waiting", "Calls that wait for payload memory"),
            total("payload_waits", "payload_waits", "Calls that had to wait for payload memory"),
            level("descriptors_limit", "descriptors_limit", "Descriptors that open files may take"),
            level("descriptors_used_by_files", "descriptors_used_by_files", "Descriptors that open files take"),
            total("descriptors_refused", "descriptors_refused", "Files not opened for want of a descriptor"),
            levelOfLanes("lane_waiting", "lanes_waiting", "Calls that wait for a thread"),
            levelOfLanes("lane_held", "lanes_held", "Calls that have run for so long that newcomers get other threads"),
            levelOfLanes("lane_running", "lanes_running", "Calls that run on a thread"),
            levelOfBoth(
                    "event_loop_lag_seconds",
                    "loop_lag_seconds",
                    "The longest that an event loop took to come round, at the last look"),
            total("process_cpu_seconds", "process_cpu_seconds", "Processor time of the process since its start"),
            level("process_open_descriptors", "process_open_descriptors", "Descriptors that the process has open"),
            level("process_max_descriptors", "process_max_descriptors", "Descriptors that the process may have open"),
            level("jvm_heap_used_bytes", "jvm_heap_used_bytes", "Heap in use"),
            level("jvm_heap_committed_bytes", "jvm_heap_committed_bytes", "Heap taken from the system"),
            level("jvm_heap_max_bytes", "jvm_heap_max_bytes", "Heap that may be taken"),
            level("jvm_direct_used_bytes", "jvm_direct_used_bytes", "Direct buffers of the Java library"),
            level("jvm_threads", "jvm_threads", "Live threads"),
            total("jvm_gc_collections", "jvm_gc_collections", "Garbage collections"),
            total("jvm_gc_seconds", "jvm_gc_seconds", "Time spent in garbage collections"));

    private static final List<Metric> ALL = Stream.of(
                    SERVER,
                    CALLS,
                    BOTH_TRANSPORTS,
                    RDMA,
                    TCP,
                    IWARP,
                    STATE,
                    EdgeMetrics.metrics(),
                    BACKENDS,
                    RESOURCES,
                    BudgetTable.metrics())
            .flatMap(List::stream)
            .toList();

    private MetricTable() {}

    private static Map<String, String> streamStates() {
        Map<String, String> states = new LinkedHashMap<>();
        for (StreamPhase phase : StreamPhase.values()) {
            String name = phase.name().toLowerCase(Locale.ROOT);
            states.put("iwarp_streams_" + name, name);
        }
        return states;
    }

    /** What a metric means. */
    static String help(String name) {
        return ALL.stream()
                .filter(metric -> metric.name().equals(name))
                .map(Metric::help)
                .findFirst()
                .orElseThrow();
    }

    /** In the order of docs/metrics.md. */
    public static List<Metric> all() {
        return ALL;
    }
}
