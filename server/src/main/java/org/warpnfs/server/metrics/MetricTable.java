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

/** The table of all metrics: name, type and description. docs/metrics.md has the same table. */
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
            total("traces_sent", "server_traces_sent", "Calls whose spans an OTLP receiver accepted"),
            total(
                    "traces_dropped",
                    "server_traces_dropped",
                    "Calls whose spans were dropped because the receiver was too slow"),
            total("traces_failed", "server_traces_failed", "Calls whose spans the receiver did not accept"),
            total(
                    "log_lines_dropped",
                    "server_log_lines_dropped",
                    "Log lines that were dropped because standard error was not read fast enough"));

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
            totalOfBoth("rpc_connections_accepted", "connections_accepted", "Connections accepted"),
            totalOfBoth("rpc_connections_refused", "connections_refused", "Connections refused because of a limit"),
            totalOfBoth(
                    "rpc_connections_evicted",
                    "connections_evicted",
                    "Idle connections closed to make room " + "for newcomers"),
            totalOfBoth(
                    "rpc_connections_aborted",
                    "connections_aborted",
                    "Connections closed because the peer violated a protocol or a limit"),
            totalOfBoth("rpc_calls_received", "calls_received", "Calls received"),
            totalOfBoth("rpc_calls_inline", "calls_inline", "Calls that began on the event loop that received them"),
            totalOfBoth(
                    "rpc_calls_postponed",
                    "calls_postponed",
                    "Calls that began on the event loop and went on in a lane, since they would have had to wait"),
            levelOfBoth("rpc_calls_running", "calls_running", "Calls under way"),
            totalOfBoth("rpc_replies_sent", "replies_sent", "Replies sent"),
            totalOfBoth(
                    "rpc_calls_dropped",
                    "calls_dropped",
                    "Calls dropped without a reply because the connection ended or drains"),
            levelOfBoth(
                    "rpc_reply_held_bytes",
                    "reply_bytes_held",
                    "Memory of replies that clients have not read; over TCP also memory reserved for calls "
                            + "that run"),
            totalOfBoth(
                    "rpc_reply_memory_waits",
                    "reply_memory_waits",
                    "Calls that waited until the client " + "read replies"),
            totalOfBoth("rpc_memory_waits", "memory_waits", "Calls that waited for memory"),
            totalOfBoth("rpc_backward_calls_sent", "backward_calls_sent", "Callbacks sent on clients' connections"),
            totalOfBoth("rpc_backward_replies_received", "backward_replies_received", "Answers to callbacks"),
            totalOfBoth("rpc_version_denied", "rpc_version_denied", "Calls with another RPC version than 2"),
            totalOfBoth("rpc_auth_denied", "auth_denied", "Calls whose credentials were refused"),
            totalOfBoth("rpc_program_unavailable", "prog_unavail", "Calls of a program that is not served"),
            totalOfBoth("rpc_program_mismatch", "prog_mismatch", "Calls of a version that is not served"),
            totalOfBoth("rpc_garbage_arguments", "garbage_args", "Calls that could not be decoded"),
            totalOfBoth("rpc_system_errors", "system_errors", "Calls that failed because of a defect of the server"),
            BytesByPath.metric());

    private static final List<Metric> RDMA = List.of(
            total(
                    "rdma_connections_lost",
                    "rdma_connections_lost",
                    "Connections that ended inside a message, or were reset"),
            total(
                    "rdma_reads_overdue",
                    "rdma_reads_overdue",
                    "Connections closed because the client answered RDMA Reads too slowly"),
            total(
                    "rdma_replies_not_taken",
                    "rdma_replies_not_taken",
                    "Connections closed because the client " + "read replies too slowly"),
            total(
                    "rdma_first_messages_missed",
                    "rdma_first_messages_missed",
                    "Connections closed because no message arrived"),
            total("rdma_terminates_sent", "rdma_terminates_sent", "Streams that the server ended with a Terminate"),
            total(
                    "rdma_terminates_received",
                    "rdma_terminates_received",
                    "Streams that the peer ended with a " + "Terminate"),
            total(
                    "rdma_long_calls",
                    "rdma_long_calls",
                    "Long calls, received by RDMA Read from a Position-Zero " + "Read chunk"),
            total("rdma_padded_calls", "rdma_padded_calls", "Calls received as RDMA_MSGP"),
            total("rdma_long_replies", "rdma_long_replies", "Replies written into a Reply chunk"),
            total("rdma_backward_calls_lost", "rdma_backward_calls_lost", "Callbacks that were not answered in time"),
            total("rdma_read_chunks", "rdma_read_chunks", "Read chunks of arguments"),
            total("rdma_write_chunks", "rdma_write_chunks", "Write chunks offered by clients"),
            total("rdma_reply_chunks_offered", "rdma_reply_chunks_offered", "Reply chunks offered by clients"),
            total("rdma_reads", "rdma_rdma_reads", "RDMA Reads issued"),
            level("rdma_reads_outstanding", "rdma_reads_outstanding", "RDMA Reads that are not answered yet"),
            total("rdma_writes", "rdma_rdma_writes", "RDMA Writes issued"),
            total("rdma_invalidations_sent", "rdma_invalidations_sent", "Sends that invalidated an STag of the client"),
            total("rdma_replies_exposed", "rdma_replies_exposed", "Replies exposed for clients to read"),
            total("rdma_dones_received", "rdma_dones_received", "RDMA_DONE messages received"),
            total("rdma_dones_missed", "rdma_dones_missed", "Exposed replies taken back because no RDMA_DONE arrived"),
            level("rdma_exposed_bytes", "rdma_exposed_bytes", "Reply data that clients may read now"),
            level("rdma_credits_granted", "rdma_credits_granted", "Credits that clients hold"),
            level("rdma_credits_in_use", "rdma_credits_in_use", "Credits that calls hold"),
            level("rdma_receive_buffers_held", "rdma_receive_buffers_held", "Receive buffers that connections hold"),
            total(
                    "rdma_receive_slabs",
                    "rdma_receive_slabs",
                    "Slabs of receive buffers allocated; they are " + "never freed"),
            total(
                    "rdma_receive_slabs_refused",
                    "rdma_receive_slabs_refused",
                    "Slabs that could not be allocated for lack of direct memory"),
            total("rdma_ord_waits", "rdma_ord_waits", "RDMA Reads that waited for the ORD"),
            total(
                    "rdma_registration_waits",
                    "rdma_registration_waits",
                    "Waits because of a limit of registered " + "memory"),
            total("rdma_err_vers_sent", "rdma_err_vers_sent", "ERR_VERS errors sent"),
            total(
                    "rdma_err_chunk_malformed_sent",
                    "rdma_err_chunk_malformed_sent",
                    "ERR_CHUNK errors sent for malformed headers"),
            total(
                    "rdma_err_chunk_too_big_sent",
                    "rdma_err_chunk_too_big_sent",
                    "ERR_CHUNK errors sent because the reply did not fit into the offered chunks"),
            total("rdma_messages_ignored", "rdma_messages_ignored", "Messages ignored because they need no answer"),
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
                    "Connections refused because of the limit of their client address"),
            total(
                    "tcp_accepts_failed",
                    "tcp_accepts_failed",
                    "Connections not accepted because no descriptor " + "was free"),
            total(
                    "tcp_first_calls_missed",
                    "tcp_first_calls_missed",
                    "Connections closed because no complete call arrived in time"),
            level("tcp_tls_connections_open", "tcp_tls_connections_open", "Connections inside TLS"),
            total("tcp_tls_handshakes", "tcp_tls_handshakes", "TLS handshakes with clients that showed no certificate"),
            total(
                    "tcp_tls_handshakes_mutual",
                    "tcp_tls_handshakes_mutual",
                    "TLS handshakes with clients whose certificate was verified"),
            total(
                    "tcp_tls_handshakes_failed",
                    "tcp_tls_handshakes_failed",
                    "TLS handshakes that failed or did not end in time"),
            total(
                    "tcp_tls_violations",
                    "tcp_tls_violations",
                    "Connections closed because bytes came in clear where TLS was due"),
            total(
                    "tcp_records_refused",
                    "tcp_records_refused",
                    "Records refused because they were too long or " + "malformed"),
            total(
                    "tcp_records_too_slow",
                    "tcp_records_too_slow",
                    "Connections closed because a record arrived " + "too slowly"),
            total(
                    "tcp_replies_too_slow",
                    "tcp_replies_too_slow",
                    "Connections closed because the client read " + "replies too slowly"),
            level(
                    "tcp_record_memory_bytes",
                    "tcp_record_memory_bytes",
                    "Bytes of records that are arriving or being read by programs"),
            level("tcp_unsent_bytes", "tcp_unsent_bytes", "Bytes of replies that clients have not read"),
            level(
                    "tcp_calls_held",
                    "tcp_calls_held",
                    "Calls held before they begin, on no thread, until the client reads replies"),
            total(
                    "tcp_unsent_waits",
                    "tcp_unsent_waits",
                    "Times that a connection started no call because of its unread replies"),
            total(
                    "tcp_client_waits",
                    "tcp_client_waits",
                    "Times that a connection started no call because of the calls in flight of its client"),
            total(
                    "tcp_backward_replies_unexpected",
                    "tcp_backward_replies_unexpected",
                    "Replies to no callback of the server"),
            total(
                    "tcp_backward_calls_refused",
                    "tcp_backward_calls_refused",
                    "Callbacks not sent because the peer does not read them"),
            total("tcp_defects", "tcp_defects", "Replies that could not be sent because of a defect of the server"));

    private static final List<Metric> IWARP = List.of(
            level("iwarp_connections", "iwarp_connections", "iWARP connections that are open"),
            level(
                    "iwarp_half_open_connections",
                    "iwarp_half_open_connections",
                    "iWARP connections that wait for the first message of their peer"),
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
                    "Registered memory, including the minimum reserved for each connection"),
            total("iwarp_registrations", "iwarp_registrations", "Memory regions registered"),
            total(
                    "iwarp_invalidations",
                    "iwarp_invalidations",
                    "Memory regions invalidated by their owner, by a Send of the peer, or by the end of "
                            + "their stream"),
            level(
                    "iwarp_posted_receives",
                    "iwarp_posted_receives",
                    "Posted receives, including the minimum " + "reserved for each connection"),
            level(
                    "iwarp_posted_receive_bytes",
                    "iwarp_posted_receive_bytes",
                    "Memory of posted receives, " + "including the minimum reserved for each connection"),
            level(
                    "iwarp_inbound_reads",
                    "iwarp_inbound_reads",
                    "RDMA Reads that peers may have outstanding, as negotiated"),
            total(
                    "iwarp_limit_refusals",
                    "iwarp_limit_refusals",
                    "Regions, receives and read depths refused or reduced because of a limit"),
            total(
                    "iwarp_shared_receive_refusals",
                    "iwarp_shared_receive_refusals",
                    "Messages that found no receive in a shared queue"),
            total("iwarp_completion_refusals", "iwarp_completion_refusals", "Times that a completion queue was full"),
            Metric.totals(
                    "iwarp_fpdus_sent",
                    "longest",
                    fpduClasses(),
                    "FPDUs passed to sockets, by how long the longest of their connection may be: up to 2 KiB, as "
                            + "segments of Ethernet are, up to 16 KiB, as jumbo frames are, or up to 64 KiB"),
            total("iwarp_fpdus_received", "iwarp_fpdus_received", "Complete FPDUs received"),
            total("iwarp_crc_errors", "iwarp_crc_errors", "FPDUs with a wrong CRC; each ended its stream"),
            fed(
                    "iwarp_terminates_total",
                    Metric.Type.COUNTER,
                    List.of("cause", "direction", "layer"),
                    "Terminates by direction, layer and error, with the names of RFC 5040, RFC 5041 and RFC 5044"));

    private static final List<Metric> STATE = List.of(
            level("state_clients", "state_clients", "NFSv4 clients"),
            level("state_sessions", "state_sessions", "NFSv4 sessions"),
            level("state_slots", "state_slots", "Slots of NFSv4 sessions"),
            level("state_slots_in_use", "state_slots_in_use", "Slots of NFSv4 sessions with a request under way"),
            total(
                    "state_replies_repeated",
                    "state_replies_repeated",
                    "Repeated requests of sessions, answered with the kept reply of their slot"),
            level("state_opens", "state_opens", "Files that NFSv4 clients hold open"),
            level("state_open_owners", "state_open_owners", "Open-owners of NFSv4.0"),
            level("state_locks", "state_locks", "Byte-range locks of NFSv4 clients"),
            level("nlm_locks", "nlm_locks", "Byte-range locks of NFSv3 clients"),
            level("nlm_shares", "nlm_shares", "Share reservations of NFSv3 clients"),
            level("nlm_hosts", "nlm_hosts", "NFSv3 clients that are told of a restart"),
            level("locks_waiting", "locks_waiting", "Requests that wait in line for a byte-range lock"),
            level("host_lock_owners", "host_lock_owners", "Owners with byte-range locks at a backend, counted by file"),
            total(
                    "host_lock_owners_refused",
                    "host_lock_owners_refused",
                    "Locks refused because a client's share of owners at backends was used up"),
            level("state_stateids", "state_stateids", "Stateids of opens, locks and delegations"),
            level("state_delegations", "state_delegations", "Delegations"),
            level("state_kept_reply_bytes", "state_kept_reply_bytes", "Bytes of replies that sessions keep"),
            total(
                    "state_replies_put_off",
                    "state_replies_put_off",
                    "Requests answered DELAY because their replies could not be kept"),
            total(
                    "state_slot_recalls",
                    "state_slot_recalls",
                    "Times that a session was asked to return slots " + "(CB_RECALL_SLOT)"),
            total("state_recalls_sent", "state_recalls_sent", "CB_RECALLs sent, including repeated ones"),
            total("state_recalls_failed", "state_recalls_failed", "CB_RECALLs that were not answered with OK"),
            total("state_recalls_returned", "state_recalls_returned", "Delegations returned after a recall"),
            total(
                    "state_recalls_revoked",
                    "state_recalls_revoked",
                    "Delegations revoked because they were not returned within a lease"),
            level("state_layouts", "state_layouts", "Files of which NFSv4 clients have layouts (pNFS)"),
            total("state_layouts_granted", "state_layouts_granted", "LAYOUTGETs that succeeded"),
            total("state_layout_recalls", "state_layout_recalls", "CB_LAYOUTRECALLs sent, including repeated ones"),
            total(
                    "state_layouts_revoked",
                    "state_layouts_revoked",
                    "Layouts revoked because they were not returned within a lease"),
            total(
                    "state_recall_any",
                    "state_recall_any",
                    "Times that a client was asked to return some (CB_RECALL_ANY)"),
            total("state_attributes_asked", "state_attributes_asked", "CB_GETATTRs sent"),
            total(
                    "state_connections_not_bound",
                    "state_connections_not_bound",
                    "Connections beyond the number that their session remembers"),
            total(
                    "state_clients_expired",
                    "state_clients_expired",
                    "Clients removed because they were silent for too long"),
            total(
                    "state_refused",
                    "state_refused",
                    "State refused because a client or its address had used up " + "its share"),
            level("replies_kept_bytes", "replies_kept_bytes", "Bytes of replies kept for calls without a session"),
            total(
                    "replies_repeated",
                    "replies_repeated",
                    "Repeated calls without a session that were answered from the reply cache"),
            total("replies_dropped", "replies_dropped", "Kept replies dropped early to make room"),
            total(
                    "replies_dropped_repeatable",
                    "replies_dropped_repeatable",
                    "Kept replies to WRITEs dropped early to make room"));

    private static final List<Metric> BACKENDS = List.of(
            fed(
                    "backend_duration_seconds",
                    Metric.Type.HISTOGRAM,
                    List.of("call"),
                    "Time that calls of backends took. Of short calls one in 16 is measured, at random, "
                            + "and counts for 16"),
            fed(
                    "backend_duration_seconds_max",
                    Metric.Type.GAUGE,
                    List.of("call"),
                    "The longest time measured in the last minutes"),
            total(
                    "backend_syncs",
                    "backend_syncs",
                    "Syncs of files, directories, journals and whole file systems, of local backends"),
            total(
                    "backend_sync_waiters",
                    "backend_sync_waiters",
                    "Operations that waited for a sync; divided by the number of syncs, how many shared one"),
            total("backend_sync_failures", "backend_sync_failures", "Syncs that failed"));

    private static final List<Metric> RESOURCES = List.of(
            level("payload_budget_bytes", "payload_budget_bytes", "Limit of memory for file data in flight"),
            level("payload_lent_bytes", "payload_lent_bytes", "Payload memory in use"),
            level(
                    "payload_allocated_bytes",
                    "payload_allocated_bytes",
                    "Payload memory allocated from the system; it is never freed"),
            total("payload_failed_allocations", "payload_failed_allocations", "Failed allocations of direct memory"),
            level("payload_waiting", "payload_waiting", "Calls that are waiting for payload memory"),
            total("payload_waits", "payload_waits", "Calls that had to wait for payload memory"),
            level("descriptors_limit", "descriptors_limit", "Descriptors that open files may use"),
            level("descriptors_used_by_files", "descriptors_used_by_files", "Descriptors that open files use"),
            total("descriptors_refused", "descriptors_refused", "Files not opened because no descriptor was free"),
            levelOfLanes("lane_waiting", "lanes_waiting", "Calls that are waiting for a thread"),
            levelOfLanes("lane_held", "lanes_held", "Calls that have run so long that newcomers get extra threads"),
            levelOfLanes("lane_running", "lanes_running", "Calls that are running on a thread"),
            levelOfBoth(
                    "event_loop_lag_seconds", "loop_lag_seconds", "The longest lag of an event loop at the last check"),
            total("process_cpu_seconds", "process_cpu_seconds", "Processor time of the process since its start"),
            level("process_open_descriptors", "process_open_descriptors", "Descriptors that the process has open"),
            level("process_max_descriptors", "process_max_descriptors", "Descriptors that the process may have open"),
            level("jvm_heap_used_bytes", "jvm_heap_used_bytes", "Heap in use"),
            level("jvm_heap_committed_bytes", "jvm_heap_committed_bytes", "Heap allocated from the system"),
            level("jvm_heap_max_bytes", "jvm_heap_max_bytes", "Limit of the heap"),
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
                    GssMetrics.metrics(),
                    IWARP,
                    STATE,
                    DataServerMetrics.metrics(),
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

    private static Map<String, String> fpduClasses() {
        Map<String, String> classes = new LinkedHashMap<>();
        for (String longest : List.of("2k", "16k", "64k")) {
            classes.put("iwarp_fpdus_sent_" + longest, longest);
        }
        return classes;
    }

    /** Returns the description of a metric. */
    static String help(String name) {
        return ALL.stream()
                .filter(metric -> metric.name().equals(name))
                .map(Metric::help)
                .findFirst()
                .orElseThrow();
    }

    /** Returns all metrics in the order of docs/metrics.md. */
    public static List<Metric> all() {
        return ALL;
    }
}
