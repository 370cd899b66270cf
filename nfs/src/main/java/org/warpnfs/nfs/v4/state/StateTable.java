package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * All state of NFSv4 clients, behind one lock.
 *
 * <p>Its parts are {@link #sessions()}, of NFSv4.0 {@link #clientids()} and {@link #owners()}, {@link #callbacks()}, {@link #opens()}, {@link #locks()}, {@link #delegations()} and
 * {@link #stateids()}.
 *
 * <h2>Leases</h2>
 *
 * A client whose lease ran out keeps its state for as long as nobody else wants it: when another client's open, lock or change conflicts
 * with it, when room is needed, or after {@link StateLimits#courtesyLeases} leases it is let go as a whole, and learns that from
 * BADSESSION and STALE_CLIENTID, or in NFSv4.0 from EXPIRED and BAD_STATEID. One that holds nothing is forgotten with its lease.
 *
 * <h2>Errors</h2>
 *
 * Every method answers with the status that the operation of the same name gives. Safe for any thread.
 */
public final class StateTable implements AutoCloseable {
    private final StateCore core;
    private final SessionStates sessions;
    private final ClientidStates clientids;
    private final OwnerStates owners;
    private final CallbackStates callbacks;
    private final OpenStates opens;
    private final LockStates locks;
    private final DelegationStates delegations;
    private final StateidStates stateids;

    /**
     * @param graceNanos how long clients may reclaim after a restart, at most
     * @param nowNanos the clock that every other method is given
     */
    public StateTable(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            long nowNanos) {
        core = new StateCore(limits, leaseNanos, graceNanos, log, sender, nowNanos);
        sessions = new SessionStates(core);
        clientids = new ClientidStates(core);
        owners = new OwnerStates(core);
        callbacks = new CallbackStates(core);
        opens = new OpenStates(core);
        locks = new LockStates(core);
        delegations = new DelegationStates(core);
        stateids = new StateidStates(core);
    }

    public SessionStates sessions() {
        return sessions;
    }

    public ClientidStates clientids() {
        return clientids;
    }

    public OwnerStates owners() {
        return owners;
    }

    public CallbackStates callbacks() {
        return callbacks;
    }

    public OpenStates opens() {
        return opens;
    }

    public LockStates locks() {
        return locks;
    }

    public DelegationStates delegations() {
        return delegations;
    }

    public StateidStates stateids() {
        return stateids;
    }

    /** What clients are held to; of NFSv4.0 also the size of requests and replies. */
    public StateLimits limits() {
        return core.limits;
    }

    public boolean isGraceRunning(long nowNanos) {
        core.lock();
        try {
            return core.grace.isRunning(nowNanos);
        } finally {
            core.unlock();
        }
    }

    /** GRACE while others may still reclaim what the operation could take from them. */
    public void requireNoGrace(long nowNanos) throws Nfs4Exception {
        if (isGraceRunning(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
    }

    /** Clients, sessions, opens: for people and metrics. */
    public Counts counts() {
        core.lock();
        try {
            return new Counts(
                    core.clients.clientCount(),
                    core.clients.sessionCount(),
                    core.files.openCount(),
                    core.locks.count(),
                    core.states.count(),
                    core.owners.openOwnerCount(),
                    core.delegations.count());
        } finally {
            core.unlock();
        }
    }

    /**
     * How much is remembered now.
     *
     * @param stateids of opens, locks and delegations
     * @param openOwners of NFSv4.0
     */
    public record Counts(
            int clients, int sessions, int opens, int locks, int stateids, int openOwners, int delegations) {}

    /** Closes every file; what the journal says stays. */
    @Override
    public void close() {
        core.lock();
        try {
            List<OpenState> all = new ArrayList<>(core.files.allOpens());
            all.forEach(OpenState::releaseFiles);
            core.delegations.releaseFiles();
            core.log.close();
        } finally {
            core.unlock();
        }
    }
}
