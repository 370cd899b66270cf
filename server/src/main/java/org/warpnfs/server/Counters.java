package org.warpnfs.server;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.local.SyncCounts;
import org.warpnfs.iwarp.qp.StreamCounts;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.nlm.NlmServer;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.v4.layout.DataServerCounts;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.state.file.LayoutCounts;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.gss.GssCounts;
import org.warpnfs.rpcrdma.gss.GssLayer;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.metrics.DataServerMetrics;
import org.warpnfs.server.metrics.TerminateMetrics;

/** Collects all counters of a server. Their names begin with the layer and never change. */
final class Counters {
    private final Map<String, Long> values = new LinkedHashMap<>();

    /** Returns the counters in the order in which they were added. */
    Map<String, Long> values() {
        return Collections.unmodifiableMap(values);
    }

    private Counters add(String name, long value) {
        values.put(name, value);
        return this;
    }

    Counters iwarp(org.warpnfs.iwarp.netty.IwarpStatistics iwarp) {
        return add("iwarp_connections", iwarp.connections())
                .add("iwarp_half_open_connections", iwarp.halfOpenConnections())
                .add("iwarp_accepted", iwarp.accepted())
                .add("iwarp_refused", iwarp.refused())
                .add("iwarp_evicted", iwarp.evicted())
                .add("iwarp_accept_failures", iwarp.acceptFailures())
                .add("iwarp_internal_errors", iwarp.internalErrors())
                .add("iwarp_registered_bytes", iwarp.registeredBytes())
                .add("iwarp_registrations", iwarp.registrations())
                .add("iwarp_invalidations", iwarp.invalidations())
                .add("iwarp_posted_receives", iwarp.postedReceives())
                .add("iwarp_posted_receive_bytes", iwarp.postedReceiveBytes())
                .add("iwarp_inbound_reads", iwarp.inboundReads())
                .add("iwarp_limit_refusals", iwarp.limitRefusals())
                .add("iwarp_shared_receive_refusals", iwarp.sharedReceiveRefusals())
                .add("iwarp_completion_refusals", iwarp.completionRefusals())
                .streams(iwarp.streams());
    }

    private Counters streams(StreamCounts streams) {
        streams.terminatesSent().forEach((cause, count) -> add(TerminateMetrics.key("sent", cause), count));
        streams.terminatesReceived().forEach((cause, count) -> add(TerminateMetrics.key("received", cause), count));
        streams.streams()
                .forEach((phase, count) -> add("iwarp_streams_" + phase.name().toLowerCase(Locale.ROOT), count));
        List<Long> fpdusSent = streams.fpdusSent();
        return add("iwarp_fpdus_sent_2k", fpdusSent.get(0))
                .add("iwarp_fpdus_sent_16k", fpdusSent.get(1))
                .add("iwarp_fpdus_sent_64k", fpdusSent.get(2))
                .add("iwarp_fpdus_received", streams.fpdusReceived())
                .add("iwarp_crc_errors", streams.crcErrors());
    }

    /** @param layer {@code rdma} or {@code tcp} */
    Counters transport(String layer, TransportStatistics statistics) {
        statistics.snapshot().forEach((counter, value) -> {
            String name = counter.metricName();
            boolean ofTcp = name.startsWith("tcp_");
            if (!ofTcp || layer.equals("tcp")) {
                add(ofTcp ? name : layer + "_" + name, value);
            }
        });
        return this;
    }

    /** @param gss null if there is no keytab */
    Counters gss(@Nullable GssLayer gss) {
        add("gss_contexts", gss == null ? 0 : gss.contextCount());
        for (GssCounts.Event event : GssCounts.Event.values()) {
            add(
                    "gss_" + event.name().toLowerCase(Locale.ROOT),
                    gss == null ? 0 : gss.counts().of(event));
        }
        return this;
    }

    Counters payload(PayloadPool pool) {
        return add("payload_budget_bytes", pool.budgetBytes())
                .add("payload_lent_bytes", pool.lentBytes())
                .add("payload_allocated_bytes", pool.allocatedBytes())
                .add("payload_failed_allocations", pool.failedAllocations())
                .add("payload_waiting", pool.waitingRequests())
                .add("payload_waits", pool.waits());
    }

    Counters locks(NlmServer nlm, LockService service) {
        return add("nlm_locks", nlm.lockCount())
                .add("nlm_shares", nlm.shareCount())
                .add("nlm_hosts", nlm.hostCount())
                .add("locks_waiting", service.waiting())
                .add("host_lock_owners", service.backends().owners())
                .add("host_lock_owners_refused", service.backends().refused());
    }

    Counters state(StateTable.Counts counts) {
        return add("state_clients", counts.clients())
                .add("state_sessions", counts.sessions())
                .add("state_slots", counts.slots().granted())
                .add("state_slots_in_use", counts.slots().busy())
                .add("state_replies_repeated", counts.slots().replayed())
                .add("state_opens", counts.opens())
                .add("state_open_owners", counts.openOwners())
                .add("state_locks", counts.locks())
                .add("state_stateids", counts.stateids())
                .add("state_delegations", counts.delegations())
                .add("state_kept_reply_bytes", counts.keptReplyBytes())
                .add("state_replies_put_off", counts.repliesPutOff())
                .add("state_slot_recalls", counts.slotRecalls())
                .add("state_connections_not_bound", counts.connectionsNotBound())
                .add("state_clients_expired", counts.clientsExpired())
                .add("state_refused", counts.refused())
                .add("state_recalls_sent", counts.recalls().sent())
                .add("state_recalls_failed", counts.recalls().failed())
                .add("state_recalls_returned", counts.recalls().returned())
                .add("state_recalls_revoked", counts.recalls().revoked())
                .add("state_recall_any", counts.questions().recallAny())
                .add("state_attributes_asked", counts.questions().attributes());
    }

    Counters layouts(LayoutCounts counts, List<DataServerCounts> dataServers) {
        values.putAll(DataServerMetrics.values(dataServers));
        return add("state_layouts", counts.held())
                .add("state_layouts_granted", counts.granted())
                .add("state_layout_recalls", counts.recalls())
                .add("state_layouts_revoked", counts.revoked());
    }

    Counters replies(ReplyCache replies) {
        return add("replies_kept_bytes", replies.bytes())
                .add("replies_repeated", replies.repeated())
                .add("replies_dropped", replies.dropped())
                .add("replies_dropped_repeatable", replies.droppedRepeatable());
    }

    Counters descriptors(DescriptorBudget descriptors) {
        return add("descriptors_limit", descriptors.limit())
                .add("descriptors_used_by_files", descriptors.usedByFiles())
                .add("descriptors_refused", descriptors.refused());
    }

    Counters syncs(SyncCounts syncs) {
        return add("backend_syncs", syncs.calls())
                .add("backend_sync_waiters", syncs.served())
                .add("backend_sync_failures", syncs.failures());
    }

    /** Adds the limits of the resources that the whole server shares. */
    Counters limits(ServerLimits limits) {
        ServerLimits.Streams streams = limits.streams();
        ServerLimits.State state = limits.state();
        return add("limit_rdma_connections", limits.connections().most())
                .add("limit_tcp_connections", limits.connections().most())
                .add("limit_rdma_receive_buffers", limits.rdma().receiveBuffers())
                .add("limit_rdma_reply_bytes", limits.rdma().replyBytes())
                .add("limit_rdma_exposed_bytes", limits.rdma().exposedBytesOfAll())
                .add("limit_tcp_record_bytes", limits.tcp().recordMemoryBytes())
                .add("limit_tcp_reply_bytes", limits.tcp().unsentBytesOfAll())
                .add("limit_iwarp_registered_bytes", streams.registeredBytesOfAll())
                .add("limit_iwarp_receives", streams.receivesOfAll())
                .add("limit_iwarp_receive_bytes", streams.receiveBytesOfAll())
                .add("limit_iwarp_inbound_reads", streams.inboundReadsOfAll())
                .add("limit_kept_reply_bytes", limits.memory().keptReplyBytes())
                .add("limit_state_kept_reply_bytes", state.keptRepliesBytes())
                .add("limit_state_clients", state.clients())
                .add("limit_state_sessions", state.sessions())
                .add("limit_state_opens", state.opens())
                .add("limit_state_locks", state.locks())
                .add("limit_state_delegations", state.delegations());
    }

    Counters lanes(OperationThreads threads) {
        for (Lane lane : Lane.withThreads()) {
            String name = lane.name().toLowerCase(Locale.ROOT);
            add("lanes_waiting_" + name, threads.waitingCount(lane));
            add("lanes_held_" + name, threads.heldCount(lane));
            add("lanes_running_" + name, threads.runningCount(lane));
        }
        return this;
    }
}
