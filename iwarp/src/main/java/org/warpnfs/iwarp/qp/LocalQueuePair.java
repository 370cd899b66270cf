package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.warpnfs.iwarp.memory.Region;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.AtomicityScope;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.LimitReachedException;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * The queue pair as its upper layer sees it. It checks what is posted and puts it into the queues.
 *
 * <h2>Operation</h2>
 *
 * See {@link QueuePair}.
 *
 * <h2>Buffers</h2>
 *
 * Holds none itself.
 *
 * <h2>Errors</h2>
 *
 * Misuse by the upper layer throws an exception, and the connection goes on.
 */
final class LocalQueuePair implements QueuePair {
    private final QueuePairLink link;
    private final int sendQueueDepth;
    private final RegionTable regions;
    private final ReceiveQueue receives;
    private final SendQueue work;
    private final ConnectionTerms terms;
    private final StreamLife life;
    private final Turns turns;
    private final Upcalls upcalls;
    private final BooleanSupplier workTold;

    /** @param sendQueueDepth the most work requests that are posted and not complete */
    LocalQueuePair(
            QueuePairLink link,
            int sendQueueDepth,
            RegionTable regions,
            ReceiveQueue receives,
            SendQueue work,
            ConnectionTerms terms,
            StreamLife life,
            Turns turns,
            Upcalls upcalls) {
        this.link = link;
        this.sendQueueDepth = sendQueueDepth;
        this.regions = regions;
        this.receives = receives;
        this.work = work;
        this.terms = terms;
        this.life = life;
        this.turns = turns;
        this.upcalls = upcalls;
        this.workTold = upcalls::workTold;
    }

    @Override
    public ConnectionParameters parameters() {
        ConnectionParameters parameters = terms.parameters();
        if (parameters == null) {
            throw new IllegalStateException("the connection is not established");
        }
        return parameters;
    }

    @Override
    public boolean connected() {
        return life.state() == StreamState.OPEN && !life.draining();
    }

    @Override
    public boolean takesFileRanges() {
        MpaAgreement.Framing framing = terms.framing();
        return terms.parameters() != null && !framing.sendMarkers() && link.takesFileRanges();
    }

    @Override
    public void postReceive(long workRequestId, ByteBuffer buffer) {
        checkOwner();
        if (receives.isShared()) {
            throw new IllegalStateException("this queue pair takes its receives from a shared queue");
        }
        PostedReceive receive = new PostedReceive(workRequestId, buffer);
        if (life.state().receiving()) {
            receives.post(receive);
        } else {
            receives.postFlushed(receive);
            turns.leaveLater();
        }
    }

    @Override
    public void post(WorkRequest request) {
        checkOwner();
        SendWork posted = new SendWork(request);
        if (life.state().ended() || life.draining()) {
            upcalls.reserve();
            life.flushWork(posted);
            turns.leaveLater();
            return;
        }
        if (work.incompleteCount() >= sendQueueDepth) {
            throw new LimitReachedException("send queue of " + sendQueueDepth + " is full");
        }
        check(request);
        upcalls.reserve();
        work.post(posted, workTold);
    }

    private void check(WorkRequest request) {
        switch (request) {
            case WorkRequest.Send _ -> {}
            case WorkRequest.RdmaWrite _ -> {}
            case WorkRequest.FileWrite _ -> {
                if (!takesFileRanges()) {
                    throw new IllegalStateException("this queue pair sends nothing from files");
                }
            }
            case WorkRequest.RdmaRead read -> {
                if (!(read.sink() instanceof Region sink) || !regions.holds(sink) || !sink.allowsLocalWrite()) {
                    throw new IllegalArgumentException(
                            "the sink is not a valid region of this queue pair with LOCAL_WRITE");
                }
                checkOrd();
            }
            case WorkRequest.ImmediateData _ -> checkExtension(RdmaExtension.IMMEDIATE_DATA);
            case WorkRequest.FetchAdd _ -> checkAtomic();
            case WorkRequest.CompareSwap _ -> checkAtomic();
            case WorkRequest.LocalInvalidate invalidate -> {
                if (!regions.holds(invalidate.region())) {
                    throw new IllegalArgumentException("the region is not a valid region of this queue pair");
                }
            }
        }
    }

    private void checkAtomic() {
        checkExtension(RdmaExtension.ATOMIC_OPERATIONS);
        checkOrd();
    }

    private void checkExtension(RdmaExtension extension) {
        if (!terms.extensions().contains(extension)) {
            throw new IllegalStateException(extension + " is not among the extensions of this connection");
        }
    }

    private void checkOrd() {
        ConnectionParameters parameters = terms.parameters();
        if (parameters != null && parameters.ord() == 0) {
            throw new IllegalStateException("no RDMA Reads or atomic operations were agreed on: ORD is 0");
        }
    }

    @Override
    public AtomicityScope atomicity() {
        return terms.extensions().contains(RdmaExtension.ATOMIC_OPERATIONS) ? AtomicityScope.HOST : AtomicityScope.NONE;
    }

    @Override
    public void flush() {
        checkOwner();
        turns.flush();
    }

    @Override
    public MemoryRegion register(ByteBuffer memory, Set<AccessRight> rights) {
        checkOwner();
        return life.state().ended() ? regions.registerDead(memory, rights) : regions.register(memory, rights);
    }

    @Override
    public void execute(Runnable task) {
        turns.execute(task);
    }

    @Override
    public void disconnect() {
        checkOwner();
        if (!life.state().ended() && !life.draining()) {
            life.disconnect();
            turns.leaveSoon();
        }
    }

    @Override
    public void abort(String reason) {
        checkOwner();
        life.abort(reason);
        turns.leaveSoon();
    }

    private void checkOwner() {
        if (!link.inOwnerThread()) {
            throw new IllegalStateException("called from a thread that does not own this queue pair");
        }
    }
}
