package org.warpnfs.server.limits;

import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairLimits;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.rpcrdma.server.ClientLimits;
import org.warpnfs.rpcrdma.server.PeerDeadlines;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.server.Rfc5666Options;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.server.config.FpduSizes;

/** Converts the server's limits to the options of each layer. */
public final class LayerLimits {
    private LayerLimits() {}

    /**
     * Returns the options of the iWARP transport.
     *
     * @param fpdus how long FPDUs to each client may be
     */
    public static IwarpConfig iwarp(ServerLimits limits, MpaChoices mpa, FpduSizes fpdus) {
        ServerLimits.Streams streams = limits.streams();
        ServerLimits.Deadlines deadlines = limits.deadlines();
        ServerLimits.Connections connections = limits.connections();
        return IwarpConfig.builder()
                .queuePair(QueuePairConfig.builder()
                        .mpa(mpa)
                        .limits(QueuePairLimits.builder()
                                .sendQueueDepth(streams.sendQueueDepth())
                                .receiveQueueDepth(streams.receiveQueueDepth())
                                .receiveBytes(streams.receiveBytes())
                                .regions(streams.regions())
                                .registeredBytes(streams.registeredBytes())
                                .inboundReads(streams.inboundReads())
                                .outstandingReads(streams.outstandingReads())
                                .build())
                        .timeoutsNanos(
                                deadlines.startup().toNanos(), deadlines.close().toNanos())
                        .firstMessageTimeoutNanos(deadlines.firstMessage().toNanos())
                        .leastBytesPerSecond(deadlines.leastBytesPerSecondClosing())
                        .build())
                .limits(new RnicLimits(
                        streams.registeredBytesOfAll(),
                        streams.receivesOfAll(),
                        streams.receiveBytesOfAll(),
                        streams.inboundReadsOfAll()))
                .maxConnections(connections.most())
                .maxConnectionsPerAddress(connections.ofClient())
                .maxHalfOpenConnections(connections.halfOpen())
                .maxHalfOpenPerAddress(connections.halfOpenOfClient())
                .evictableIdleMillis((int) connections.idleBeforeEviction().toMillis())
                .fpduSize(fpdus::to)
                .build();
    }

    /** Returns the options of RPC-over-RDMA. */
    public static ResponderOptions responder(ServerLimits limits, boolean readReplies) {
        ServerLimits.Rdma rdma = limits.rdma();
        ServerLimits.Deadlines deadlines = limits.deadlines();
        return ResponderOptions.builder()
                .inlineBytes(rdma.inlineBytes(), rdma.inlineBytes())
                .credits(rdma.credits(), rdma.maxCredits())
                .ord(rdma.ord())
                .clients(new ClientLimits(
                        limits.connections().most(),
                        limits.connections().ofClient(),
                        rdma.receiveBuffers(),
                        rdma.receiveBuffersOfClient(),
                        rdma.replyBytes(),
                        rdma.replyBytesOfClient(),
                        rdma.exposedBytesOfClient()))
                .maxRunning(rdma.runningCalls())
                .maxHeldBytes(rdma.heldBytes())
                .maxPostedWork(rdma.postedWork())
                .maxBackwardCalls(rdma.backwardCalls())
                .deadlines(new PeerDeadlines(
                        deadlines.grace(),
                        deadlines.leastBytesPerSecond(),
                        deadlines.firstMessage(),
                        deadlines.backwardReply(),
                        deadlines.draining(),
                        limits.connections().idleBeforeEviction()))
                .rfc5666(new Rfc5666Options(
                        readReplies,
                        rdma.exposedReplies(),
                        rdma.exposedBytes(),
                        rdma.exposedBytesOfAll(),
                        deadlines.exposedReply(),
                        true))
                .build();
    }

    /** Returns the options of RPC over TCP. */
    public static TcpOptions tcp(ServerLimits limits) {
        ServerLimits.Tcp tcp = limits.tcp();
        ServerLimits.Deadlines deadlines = limits.deadlines();
        return TcpOptions.builder()
                .maxRecordBytes(tcp.recordBytes())
                .maxCalls(tcp.callsInFlight(), tcp.callsInFlightOfClient())
                .maxConnections(
                        limits.connections().most(), limits.connections().ofClient())
                .maxRecordMemoryBytes(tcp.recordMemoryBytes(), tcp.recordMemoryBytesOfConnection())
                .maxUnsentBytes(tcp.unsentBytes(), tcp.unsentBytesOfClient())
                .maxUnsentBytesOfAll(tcp.unsentBytesOfAll())
                .leastRate(deadlines.leastBytesPerSecond(), deadlines.grace())
                .firstMessageLimit(deadlines.firstMessage())
                .drainGrace(deadlines.draining())
                .maxBackwardCalls(tcp.backwardCalls())
                .backwardReplies(tcp.backwardReplyBytes(), tcp.unexpectedReplies())
                .maxStartsPerTurn(tcp.startsPerTurn())
                .build();
    }

    /** Returns the limits of NFSv4 state, for data of up to {@code maxIoBytes} in one READ or WRITE. */
    public static StateLimits state(ServerLimits limits, int maxIoBytes) {
        ServerLimits.State state = limits.state();
        return new StateLimits(
                state.clients(),
                state.sessionsOfClient(),
                state.sessions(),
                state.slots(),
                state.keptReplyBytes(),
                maxIoBytes + StateLimits.COMPOUND_OVERHEAD_BYTES,
                maxIoBytes + StateLimits.COMPOUND_OVERHEAD_BYTES,
                state.operations(),
                state.connectionsOfSession(),
                state.opensOfClient(),
                state.opens(),
                state.lockOwnersOfOpen(),
                state.locksOfClient(),
                state.locks(),
                state.keptRepliesBytes(),
                state.delegations(),
                state.courtesyLeases());
    }

    /** Returns the options of a local file system. */
    public static LocalOptions local(ServerLimits limits) {
        return LocalOptions.DEFAULTS.withMaxIdleFiles(limits.memory().idleFiles());
    }
}
