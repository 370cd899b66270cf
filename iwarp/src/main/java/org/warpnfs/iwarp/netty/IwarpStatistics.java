package org.warpnfs.iwarp.netty;

import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.qp.LocalRnic;
import org.warpnfs.iwarp.qp.StreamCounts;

/** Counters of one transport. Safe for any thread. */
public final class IwarpStatistics {
    private final LocalRnic rnic;
    private final Admission admission;
    private final LongAdder acceptFailures = new LongAdder();
    private final LongAdder internalErrors = new LongAdder();

    IwarpStatistics(LocalRnic rnic, Admission admission) {
        this.rnic = rnic;
        this.admission = admission;
    }

    /** Connections that peers opened and that are not closed yet. */
    public int connections() {
        return admission.connections();
    }

    /** Of those, how many wait for their peer's first message. */
    public int halfOpenConnections() {
        return admission.halfOpen();
    }

    /** Connections accepted from the network, ever, those closed because of a limit not among them. */
    public long accepted() {
        return admission.accepted();
    }

    /** Connections closed at once because of a limit. */
    public long refused() {
        return admission.refused();
    }

    /** Connections closed because they were idle, or half open, when others wanted in. */
    public long evicted() {
        return admission.evicted();
    }

    /** How often a connection that waited could not be accepted, for want of a descriptor perhaps. */
    public long acceptFailures() {
        return acceptFailures.sum();
    }

    LongAdder acceptFailureCounter() {
        return acceptFailures;
    }

    /** Connections ended by a bug of ours or of the upper layer's. */
    public long internalErrors() {
        return internalErrors.sum();
    }

    /** Memory registered now, in bytes; up to 512 KiB for each connection are counted in advance. */
    public long registeredBytes() {
        return rnic.registeredBytes().used();
    }

    /** Regions of memory that ever became valid. */
    public long registrations() {
        return rnic.registry().registrations();
    }

    /** Of those, how many are valid no more. */
    public long invalidations() {
        return rnic.registry().invalidations();
    }

    /** Receives posted now; up to 128 for each connection are counted in advance. */
    public long postedReceives() {
        return rnic.receives().used();
    }

    /** Memory of the receives posted now, in bytes; up to 512 KiB for each connection are counted in advance. */
    public long postedReceiveBytes() {
        return rnic.receiveBytes().used();
    }

    /** RDMA Reads that peers may have outstanding now: the sum of what was agreed on. */
    public long inboundReads() {
        return rnic.inboundReads().used();
    }

    /** How often a region, a receive or an IRD was refused or cut down because of a limit. */
    public long limitRefusals() {
        return rnic.refusals();
    }

    /** How often a message found no receive in a shared queue, or its queue pair had taken its share. */
    public long sharedReceiveRefusals() {
        return rnic.sharedReceiveRefusals();
    }

    /** How often there was no room for another completion. */
    public long completionRefusals() {
        return rnic.completionRefusals();
    }

    /** What streams carried, and how they broke. */
    public StreamCounts streams() {
        return rnic.streams();
    }

    void internalError() {
        internalErrors.increment();
    }
}
