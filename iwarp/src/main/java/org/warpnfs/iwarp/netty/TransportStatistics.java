package org.warpnfs.iwarp.netty;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.qp.LocalRnic;

/** Counters of one transport. Safe for any thread. */
public final class TransportStatistics {
    private final LocalRnic rnic;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger halfOpen = new AtomicInteger();

    /** Connections from each address that has any. */
    private final ConcurrentMap<InetAddress, Integer> fromAddress = new ConcurrentHashMap<>();

    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder internalErrors = new LongAdder();

    TransportStatistics(LocalRnic rnic) {
        this.rnic = rnic;
    }

    /** Connections that peers opened and that are not closed yet. */
    public int connections() {
        return connections.get();
    }

    /** Of those, how many are in their startup. */
    public int halfOpenConnections() {
        return halfOpen.get();
    }

    /** Connections accepted from the network, ever, those closed because of a limit not among them. */
    public long accepted() {
        return accepted.sum();
    }

    /** Connections closed at once because of a limit. */
    public long refused() {
        return refused.sum();
    }

    /** Connections ended by a bug of ours or of the upper layer's. */
    public long internalErrors() {
        return internalErrors.sum();
    }

    /** Memory registered now, in bytes; up to 512 KiB for each connection are counted in advance. */
    public long registeredBytes() {
        return rnic.registeredBytes().used();
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

    /** Counts a new connection, unless that would break a limit. */
    boolean admit(InetAddress peer, IwarpConfig limits) {
        if (connections.incrementAndGet() > limits.maxConnections()) {
            connections.decrementAndGet();
            refused.increment();
            return false;
        }
        if (halfOpen.incrementAndGet() > limits.maxHalfOpenConnections()) {
            halfOpen.decrementAndGet();
            connections.decrementAndGet();
            refused.increment();
            return false;
        }
        if (fromAddress.merge(peer, 1, Integer::sum) > limits.maxConnectionsPerAddress()) {
            connectionClosed(peer);
            halfOpen.decrementAndGet();
            refused.increment();
            return false;
        }
        accepted.increment();
        return true;
    }

    void startupEnded() {
        halfOpen.decrementAndGet();
    }

    void connectionClosed(InetAddress peer) {
        fromAddress.computeIfPresent(peer, (address, count) -> count == 1 ? null : count - 1);
        connections.decrementAndGet();
    }

    void internalError() {
        internalErrors.increment();
    }
}
