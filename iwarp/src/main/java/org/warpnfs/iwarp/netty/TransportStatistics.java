package org.warpnfs.iwarp.netty;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.warpnfs.iwarp.qp.LocalRnic;

/** Counters of one transport. Safe for any thread. */
public final class TransportStatistics {
    private final LocalRnic rnic;
    private final Object lock = new Object();
    private final Counts all = new Counts();

    /** Those from each address that has any. */
    private final Map<InetAddress, Counts> fromAddress = new HashMap<>();

    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder internalErrors = new LongAdder();

    private static final class Counts {
        private int connections;
        private int halfOpen;
    }

    TransportStatistics(LocalRnic rnic) {
        this.rnic = rnic;
    }

    /** Connections that peers opened and that are not closed yet. */
    public int connections() {
        synchronized (lock) {
            return all.connections;
        }
    }

    /** Of those, how many are in their startup. */
    public int halfOpenConnections() {
        synchronized (lock) {
            return all.halfOpen;
        }
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

    /** Counts a new connection, in its startup, unless that would break a limit. */
    boolean admit(InetAddress peer, IwarpConfig limits) {
        synchronized (lock) {
            Counts ofPeer = fromAddress.getOrDefault(peer, new Counts());
            if (all.connections >= limits.maxConnections()
                    || all.halfOpen >= limits.maxHalfOpenConnections()
                    || ofPeer.connections >= limits.maxConnectionsPerAddress()
                    || ofPeer.halfOpen >= limits.maxHalfOpenPerAddress()) {
                refused.increment();
                return false;
            }
            fromAddress.put(peer, ofPeer);
            all.connections++;
            all.halfOpen++;
            ofPeer.connections++;
            ofPeer.halfOpen++;
        }
        accepted.increment();
        return true;
    }

    /** Comes once for each connection that was admitted, and before {@link #connectionClosed}. */
    void startupEnded(InetAddress peer) {
        synchronized (lock) {
            all.halfOpen--;
            of(peer).halfOpen--;
        }
    }

    void connectionClosed(InetAddress peer) {
        synchronized (lock) {
            all.connections--;
            Counts ofPeer = of(peer);
            ofPeer.connections--;
            if (ofPeer.connections == 0) {
                fromAddress.remove(peer);
            }
        }
    }

    private Counts of(InetAddress peer) {
        Counts counts = fromAddress.get(peer);
        if (counts == null) {
            throw new IllegalStateException("no connection of " + peer + " was admitted");
        }
        return counts;
    }

    void internalError() {
        internalErrors.increment();
    }
}
