package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.memory.Region;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.AtomicityScope;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * A machine as its upper layer sees it: checks what is posted, and puts it into the queues.
 *
 * <h2>Operation</h2>
 *
 * As {@link QueuePair} says.
 *
 * <h2>Buffers</h2>
 *
 * Holds none itself.
 *
 * <h2>Errors</h2>
 *
 * What the upper layer does wrong it is told by an exception; the connection goes on.
 */
final class LocalQueuePair implements QueuePair {
    private final QueuePairMachine machine;
    private final QueuePairLink link;
    private final QueuePairConfig config;
    private final RegionTable regions;
    private final InboundStream inbound;
    private final Transmitter transmitter;
    private final BooleanSupplier workTold;
    private @Nullable LocalCompletionQueue completions;
    private boolean sharesReceives;

    LocalQueuePair(
            QueuePairMachine machine,
            QueuePairLink link,
            QueuePairConfig config,
            RegionTable regions,
            InboundStream inbound,
            Transmitter transmitter) {
        this.machine = machine;
        this.link = link;
        this.config = config;
        this.regions = regions;
        this.inbound = inbound;
        this.transmitter = transmitter;
        this.workTold = machine::workTold;
    }

    /** What it shares with others, before anything is posted. */
    void share(@Nullable LocalCompletionQueue completionQueue, boolean receives) {
        completions = completionQueue;
        sharesReceives = receives;
    }

    @Override
    public ConnectionParameters parameters() {
        ConnectionParameters parameters = machine.parameters();
        if (parameters == null) {
            throw new IllegalStateException("the connection is not established");
        }
        return parameters;
    }

    @Override
    public boolean connected() {
        return machine.connected();
    }

    @Override
    public void postReceive(long workRequestId, ByteBuffer buffer) {
        checkOwner();
        if (sharesReceives) {
            throw new IllegalStateException("this queue pair takes its receives from a shared queue");
        }
        PostedReceive receive = new PostedReceive(workRequestId, buffer);
        reserveCompletion();
        if (!machine.receiving()) {
            machine.received(receive.failed(CompletionStatus.FLUSHED));
            machine.leaveLater();
            return;
        }
        try {
            inbound.postReceive(receive);
        } catch (LimitReachedException e) {
            cancelCompletion();
            throw e;
        }
    }

    private void reserveCompletion() {
        if (completions != null) {
            completions.reserve();
        }
    }

    private void cancelCompletion() {
        if (completions != null) {
            completions.cancel();
        }
    }

    @Override
    public void post(WorkRequest request) {
        checkOwner();
        SendWork work = new SendWork(request);
        if (machine.ended() || machine.draining()) {
            reserveCompletion();
            machine.flushWork(work);
            return;
        }
        if (transmitter.work().incompleteCount() >= config.limits().sendQueueDepth()) {
            throw new LimitReachedException("send queue of " + config.limits().sendQueueDepth() + " is full");
        }
        check(request);
        reserveCompletion();
        transmitter.work().post(work, workTold);
    }

    private void check(WorkRequest request) {
        switch (request) {
            case WorkRequest.Send _ -> {}
            case WorkRequest.RdmaWrite _ -> {}
            case WorkRequest.RdmaRead read -> {
                if (!(read.sink() instanceof Region sink) || !regions.holds(sink) || !sink.allowsLocalWrite()) {
                    throw new IllegalArgumentException("the sink is no valid LOCAL_WRITE region of this queue pair");
                }
                checkOrd();
            }
            case WorkRequest.ImmediateData _ -> checkExtension(RdmaExtension.IMMEDIATE_DATA);
            case WorkRequest.FetchAdd _ -> checkAtomic();
            case WorkRequest.CompareSwap _ -> checkAtomic();
            case WorkRequest.LocalInvalidate invalidate -> {
                if (!regions.holds(invalidate.region())) {
                    throw new IllegalArgumentException("the region is no valid one of this queue pair");
                }
            }
        }
    }

    private void checkAtomic() {
        checkExtension(RdmaExtension.ATOMIC_OPERATIONS);
        checkOrd();
    }

    private void checkExtension(RdmaExtension extension) {
        if (!machine.extensions().contains(extension)) {
            throw new IllegalStateException(extension + " is not among the extensions of this connection");
        }
    }

    private void checkOrd() {
        ConnectionParameters parameters = machine.parameters();
        if (parameters != null && parameters.ord() == 0) {
            throw new IllegalStateException("no RDMA Reads or atomic operations were agreed on: ORD is 0");
        }
    }

    @Override
    public AtomicityScope atomicity() {
        return machine.extensions().contains(RdmaExtension.ATOMIC_OPERATIONS)
                ? AtomicityScope.HOST
                : AtomicityScope.NONE;
    }

    @Override
    public void flush() {
        checkOwner();
        machine.flush();
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, Set<AccessRight> rights) {
        checkOwner();
        return machine.ended() ? regions.registerDead(memory, rights) : regions.register(memory, rights);
    }

    @Override
    public void execute(Runnable task) {
        machine.execute(task);
    }

    @Override
    public void disconnect() {
        checkOwner();
        machine.disconnect();
    }

    @Override
    public void abort(String reason) {
        checkOwner();
        machine.terminate(reason);
    }

    private void checkOwner() {
        if (!link.inOwnerThread()) {
            throw new IllegalStateException("called from a thread that does not own this queue pair");
        }
    }
}
