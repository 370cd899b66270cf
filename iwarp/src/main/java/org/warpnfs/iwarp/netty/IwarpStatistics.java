package org.warpnfs.iwarp.netty;

import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.qp.LocalRnic;
import org.warpnfs.iwarp.qp.StreamCounts;

/** The counters of one transport. Safe for any thread. */
public final class IwarpStatistics {
    private final LocalRnic rnic;
    private final Admission admission;
    private final LongAdder acceptFailures = new LongAdder();
    private final LongAdder internalErrors = new LongAdder();

    IwarpStatistics(LocalRnic rnic, Admission admission) {
        this.rnic = rnic;
        this.admission = admission;
    }

    /** Open connections that peers initiated. */
    public int connections() {
        return admission.connections();
    }

    /** Open connections whose peer has not sent its first message yet. */
    public int halfOpenConnections() {
        return admission.halfOpen();
    }

    /** Connections ever accepted from the network, without those refused because of a limit. */
    public long accepted() {
        return admission.accepted();
    }

    /** Connections refused because of a limit. */
    public long refused() {
        return admission.refused();
    }

    /** Connections closed while idle or half open, to make room for others. */
    public long evicted() {
        return admission.evicted();
    }

    /** How often accepting a pending connection failed, for example because no file descriptor was free. */
    public long acceptFailures() {
        return acceptFailures.sum();
    }

    LongAdder acceptFailureCounter() {
        return acceptFailures;
    }

    /** Connections ended by a defect of ours or of the upper layer. */
    public long internalErrors() {
        return internalErrors.sum();
    }

    /** Memory registered now, in bytes. Up to 512 KiB for each connection are counted in advance. */
    public long registeredBytes() {
        return rnic.registeredBytes().used();
    }

    /** Regions of memory that ever became valid. */
    public long registrations() {
        return rnic.registry().registrations();
    }

    /** Memory regions that were valid and are no longer. */
    public long invalidations() {
        return rnic.registry().invalidations();
    }

    /** Receives posted now. Up to 128 for each connection are counted in advance. */
    public long postedReceives() {
        return rnic.receives().used();
    }

    /** Memory of the receives posted now, in bytes. Up to 512 KiB for each connection are counted in advance. */
    public long postedReceiveBytes() {
        return rnic.receiveBytes().used();
    }

    /** RDMA Reads that peers may have outstanding now: the sum of the IRDs agreed on. */
    public long inboundReads() {
        return rnic.inboundReads().used();
    }

    /** How often a region, a receive or an IRD was refused or reduced because of a limit. */
    public long limitRefusals() {
        return rnic.refusals();
    }

    /** How often a message found no receive in a shared queue, or its queue pair had taken its share. */
    public long sharedReceiveRefusals() {
        return rnic.sharedReceiveRefusals();
    }

    /** How often a completion queue had no room for another completion. */
    public long completionRefusals() {
        return rnic.completionRefusals();
    }

    /** What the streams carried, and how they failed. */
    public StreamCounts streams() {
        return rnic.streams();
    }

    void internalError() {
        internalErrors.increment();
    }
}
