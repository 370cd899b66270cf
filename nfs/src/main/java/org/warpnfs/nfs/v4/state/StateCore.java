package org.warpnfs.nfs.v4.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * What all parts of the state share: the one lock, the tables it guards, and what every part asks first.
 *
 * <p>Callbacks that a part decides on while it holds the lock leave when it lets the lock go.
 */
final class StateCore {
    private static final Logger LOG = LoggerFactory.getLogger(StateCore.class);

    final StateLimits limits;
    final long leaseNanos;
    final RecoveryLog log;
    final Grace grace;
    final ClientTable clients;
    final ClientidTable clientids;
    final StateEntries states;
    final OwnerTable owners;
    final LockTable locks;
    final FileStates files;
    final DelegationTable delegations;

    private final ReentrantLock lock = new ReentrantLock();
    private final CallbackSender sender;
    private List<CallbackCall> outbox = new ArrayList<>();
    private long lastSweepNanos;

    StateCore(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            long nowNanos) {
        this.limits = limits;
        this.leaseNanos = leaseNanos;
        this.log = log;
        this.sender = sender;
        this.grace = new Grace(log, nowNanos, graceNanos);
        this.states = new StateEntries(log.instance());
        this.owners = new OwnerTable(limits);
        this.locks = new LockTable(limits, states, owners);
        this.files = new FileStates(limits, states, owners, locks);
        this.delegations = new DelegationTable(limits, leaseNanos, states, files);
        this.clients =
                new ClientTable(limits, leaseNanos, grace, log.instance(), this::forget, call -> outbox.add(call));
        this.clientids = new ClientidTable(clients);
        this.lastSweepNanos = nowNanos;
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        List<CallbackCall> calls = List.of();
        if (lock.getHoldCount() == 1 && !outbox.isEmpty()) {
            calls = outbox;
            outbox = new ArrayList<>();
        }
        lock.unlock();
        calls.forEach(sender::send);
    }

    void requirePresent(Client client) throws Nfs4Exception {
        if (client.gone) {
            throw Nfs4Exception.of(client.isSessionless() ? Nfs4Status.EXPIRED : Nfs4Status.DEADSESSION);
        }
    }

    void requireGrace(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        boolean running = grace.isRunning(nowNanos);
        if (!reclaim) {
            // Of NFSv4.0 nobody says when he has reclaimed all.
            if (running || (!client.reclaimComplete && !client.isSessionless())) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            return;
        }
        if (!running || client.reclaimComplete) {
            throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
        }
        if (!client.mayReclaim) {
            throw Nfs4Exception.of(Nfs4Status.RECLAIM_BAD);
        }
        grace.prolong(nowNanos);
    }

    /** As long as a client without a lease stands in the way it is let go; one that has its lease is the answer. */
    void expireWhile(long nowNanos, Obstacle obstacle, Nfs4Status status) throws Nfs4Exception {
        for (Conflict conflict = obstacle.find(); conflict != null; conflict = obstacle.find()) {
            if (!conflict.holder().isExpired(nowNanos, leaseNanos)) {
                throw conflict.lock() == null ? Nfs4Exception.of(status) : new LockDenied(conflict.lock());
            }
            clients.remove(conflict.holder());
        }
    }

    @FunctionalInterface
    interface Obstacle {
        @Nullable
        Conflict find() throws Nfs4Exception;
    }

    /** The journal has to know a client before it is given its first state. */
    void record(Client client) throws Nfs4Exception {
        if (client.recorded) {
            return;
        }
        try {
            log.add(client.owner());
        } catch (IOException e) {
            LOG.error("The NFSv4 recovery log cannot be written: no new client can open files", e);
            throw Nfs4Exception.of(Nfs4Status.IO);
        }
        client.recorded = true;
    }

    private void forget(Client client) {
        files.forget(client);
        owners.forget(client);
        delegations.forget(client);
        if (!client.recorded) {
            return;
        }
        try {
            log.remove(client.owner());
        } catch (IOException e) {
            LOG.warn("A client that is gone stays in the NFSv4 recovery log", e);
        }
    }

    void sweepNowAndThen(long nowNanos) {
        if (nowNanos - lastSweepNanos > leaseNanos / 4) {
            lastSweepNanos = nowNanos;
            grace.isRunning(nowNanos);
            clients.sweep(nowNanos);
            owners.sweep(nowNanos, leaseNanos);
            delegations.sweep(nowNanos);
        }
    }
}
