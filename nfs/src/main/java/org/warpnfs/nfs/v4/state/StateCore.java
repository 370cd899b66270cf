package org.warpnfs.nfs.v4.state;

import com.google.common.collect.Lists;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.v4.state.callback.CallbackSender;
import org.warpnfs.nfs.v4.state.callback.DialedPaths;
import org.warpnfs.nfs.v4.state.client.ClientTable;
import org.warpnfs.nfs.v4.state.client.ClientidTable;
import org.warpnfs.nfs.v4.state.client.Sequences;
import org.warpnfs.nfs.v4.state.client.SessionTable;
import org.warpnfs.nfs.v4.state.client.SlotRecalls;
import org.warpnfs.nfs.v4.state.client.WaysBack;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.Conflict;
import org.warpnfs.nfs.v4.state.file.DelegationState;
import org.warpnfs.nfs.v4.state.file.DelegationTable;
import org.warpnfs.nfs.v4.state.file.DelegationUse;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.FileStates;
import org.warpnfs.nfs.v4.state.file.LayoutTable;
import org.warpnfs.nfs.v4.state.file.LockTable;
import org.warpnfs.nfs.v4.state.file.OpenPermit;
import org.warpnfs.nfs.v4.state.file.OpenState;
import org.warpnfs.nfs.v4.state.file.OwnerTable;
import org.warpnfs.nfs.v4.state.file.StateEntries;
import org.warpnfs.nfs.v4.state.recovery.ClientRecovery;
import org.warpnfs.nfs.v4.state.recovery.Grace;
import org.warpnfs.nfs.v4.state.recovery.RecoveryJournal;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The tables of the state under their one lock, and functions that several parts need.
 *
 * <h2>Operation</h2>
 *
 * When a client is removed, no lookup finds its state any more. A background thread then frees this state. It takes the
 * lock for {@value #PORTION} states at a time.
 */
final class StateCore implements ClientTable.Holdings {
    private static final Logger LOG = LoggerFactory.getLogger(StateCore.class);
    private static final LogLimiter LINES = new LogLimiter();
    /**
     * Number of states of a removed client that are freed before other calls get the lock: some tens of microseconds.
     */
    static final int PORTION = 256;
    /** Clients that a sweep looks at, and may remove with their sessions, before other calls get the lock. */
    static final int SWEPT_CLIENTS = 64;
    /** Removed clients that one call waits for before its client is told to come again. */
    private static final int MAX_DEPARTURES = 16;
    /** Clients whose leases have run out that one request removes. */
    private static final int MAX_EXPIRED = 16;

    final StateLimits limits;
    final RecoveryJournal journal;
    final Grace grace;
    final ClientRecovery recovery;
    final StateLock lock;
    final ClientTable clients;
    final SessionTable sessions;
    final DialedPaths dialed;
    final ClientidTable clientids;
    final WaysBack waysBack;
    final SlotRecalls slotRecalls;
    final Sequences sequences;
    final StateEntries states;
    final OwnerTable owners;
    final LockService service;
    final LockTable locks;
    final FileStates files;
    final DelegationTable delegations;
    final LayoutTable layouts;

    /** Of OPENs that are creating their files now; empty if no other server has them. */
    final Set<OpenPermit> permits = new HashSet<>();

    private final long leaseNanos;
    /** Forgotten clients whose states have not all been freed. */
    private final Queue<Client> departed = new ArrayDeque<>();

    private boolean clearing;
    private long lastSweepNanos;

    StateCore(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            Executor background,
            Executor closer,
            LockService service,
            long nowNanos) {
        this.limits = limits;
        this.leaseNanos = leaseNanos;
        this.journal = new RecoveryJournal(log);
        this.grace = new Grace(log, journal, nowNanos, graceNanos);
        this.recovery = new ClientRecovery(journal, grace);
        this.lock = new StateLock(sender, background, closer, journal, this::flush);
        this.clients = new ClientTable(limits, leaseNanos, log.instance(), this);
        this.sessions = new SessionTable(limits, clients, lock::send);
        this.dialed = new DialedPaths(lock::send);
        this.clientids = new ClientidTable(clients, dialed);
        this.waysBack = new WaysBack(sessions, dialed);
        this.slotRecalls = new SlotRecalls(clients, sessions.replies());
        this.sequences = new Sequences(clients, sessions, slotRecalls);
        this.states = new StateEntries(log.instance());
        this.owners = new OwnerTable(limits);
        this.service = service;
        this.locks = new LockTable(limits, states, owners, service, lock::follow);
        this.files = new FileStates(limits, states, owners, locks, lock::letGo, this::left);
        this.delegations = new DelegationTable(
                limits,
                leaseNanos,
                states,
                files,
                waysBack,
                lock::letGo,
                lock::taken,
                lock::follow,
                this::left,
                this::later);
        this.layouts = new LayoutTable(leaseNanos, states, files, waysBack, delegations.held()::isWriter, this::later);
        this.lastSweepNanos = nowNanos;
    }

    /** A layout ends when its client has the file neither open nor delegated any more. */
    private void left(Client client, FileKey file) {
        layouts.left(
                client,
                file,
                () -> files.isOpenBy(file, client) || delegations.held().holds(client, file));
    }

    /** As {@link StateLock#locked}. */
    <T, X extends Exception> T locked(StateLock.Call<T, X> call) throws X {
        return lock.locked(call);
    }

    /** As {@link StateLock#change}. */
    <X extends Exception> void change(StateLock.Change<X> change) throws X {
        lock.change(change);
    }

    void requirePresent(Client client) throws Nfs4Exception {
        if (client.isGone()) {
            throw Nfs4Exception.of(client.isSessionless() ? Nfs4Status.EXPIRED : Nfs4Status.DEADSESSION);
        }
    }

    /**
     * If the time of the grace period is up, waits until its end is in the journal. Must be called without the lock.
     */
    void settleGrace(long nowNanos) {
        if (grace.isOver()) {
            return;
        }
        change(() -> grace.isRunning(nowNanos));
        settleGrace();
    }

    /** If the grace period is ending, waits until its end is in the journal. Must be called without the lock. */
    void settleGrace() {
        RecoveryJournal.Entry entry = grace.ending();
        if (entry == null) {
            return;
        }
        try {
            journal.await(entry);
        } catch (IOException e) {
            LINES.admit("the end of the grace period", ClientAddress.NONE)
                    .ifPresent(more -> LOG.warn(
                            "The end of the grace period could not be recorded: the period goes on until it can be "
                                    + "({} more like it)",
                            more,
                            e));
        }
        change(() -> {
            grace.settle();
            settleDepartures();
        });
    }

    /**
     * Removes clients that cause the conflict and whose leases have run out, one after the other. Throws if a client
     * with a lease causes it, {@link Departing} for a removed one that is not forgotten yet, and DELAY after
     * {@value #MAX_EXPIRED} of them.
     */
    void expireWhile(long nowNanos, Obstacle obstacle, Nfs4Status status) throws Nfs4Exception {
        int left = MAX_EXPIRED;
        for (Conflict conflict = obstacle.find(); conflict != null; conflict = obstacle.find()) {
            Client holder = conflict.holder();
            if (holder != null && holder.isGone()) {
                throw new Departing(holder);
            }
            if (holder == null || !clients.isExpired(holder, nowNanos)) {
                throw conflict.refusal(status);
            }
            if (left-- == 0) {
                throw Nfs4Exception.of(Nfs4Status.DELAY);
            }
            clients.expire(holder);
        }
    }

    /**
     * DELAY: what is asked for was a removed client's, and it is not on stable storage yet that the client has gone.
     */
    private static final class Departing extends Nfs4Exception {
        private static final long serialVersionUID = 1L;

        private final transient Client client;

        Departing(Client client) {
            super(Nfs4Status.DELAY, "DELAY");
            this.client = client;
        }
    }

    /**
     * Runs a call under the lock as {@link #locked}. If removed clients are in its way, waits until it is on stable
     * storage that they have gone. Must be called without the lock, on a thread that may wait for a disk; DELAY if it
     * cannot be written.
     */
    <T> T afterDepartures(StateLock.Call<T, Nfs4Exception> call) throws Nfs4Exception {
        for (int left = MAX_DEPARTURES; ; left--) {
            try {
                return locked(call);
            } catch (Departing e) {
                if (left == 0 || !isForgotten(e.client)) {
                    throw e;
                }
            }
        }
    }

    /** True if a removed client is forgotten. Waits until that is on stable storage, or could not be written. */
    boolean isForgotten(Client client) {
        if (!client.isForgotten()) {
            Optional<RecoveryJournal.Entry> entry = locked(() -> Optional.ofNullable(recovery.departure(client)));
            try {
                if (entry.isPresent()) {
                    journal.await(entry.get());
                }
            } catch (IOException e) {
                // The journal has logged it.
            }
            boolean more = true;
            while (more && !client.isForgotten()) {
                more = locked(this::settleDepartures);
            }
        }
        return client.isForgotten();
    }

    private void flush() {
        journal.flush();
        change(this::settleDepartures);
    }

    /**
     * Forgets some of the removed clients that the journal is done with; the background thread goes on with the rest.
     *
     * @return true if there is a rest
     */
    private boolean settleDepartures() {
        List<Client> forgotten = recovery.settle(PORTION);
        forgotten.forEach(this::clearLater);
        boolean more = recovery.isMoreSettled();
        // If one could be written, so can be others that could not.
        if (more || (!forgotten.isEmpty() && recovery.departAgain(PORTION))) {
            lock.flushLater();
        }
        return more;
    }

    private void clearLater(Client client) {
        if (isAny(client) || owners.hasAny(client)) {
            departed.add(client);
            if (!clearing) {
                clearing = true;
                lock.later(this::clear);
            }
        }
    }

    /** Throws DELAY while another client has a write delegation of the file, which is being recalled. */
    void requireNoWriter(long nowNanos, FileKey file, @Nullable Client by) throws Nfs4Exception {
        expireWhile(nowNanos, () -> delegations.conflict(nowNanos, file, by, DelegationUse.READ), Nfs4Status.DELAY);
    }

    @FunctionalInterface
    interface Obstacle {
        @Nullable
        Conflict find() throws Nfs4Exception;
    }

    /**
     * Writes a client to the journal before it gets its first state. Waits for the disk; must be called without the
     * lock.
     */
    void record(Client client) throws Nfs4Exception {
        if (recovery.isRecorded(client)) {
            return;
        }
        Opaque name = ClientRecovery.nameOf(client);
        RecoveryJournal.Entry entry = locked(() -> {
            requirePresent(client);
            return recovery.note(client, name);
        });
        recovery.await(entry);
        change(() -> {
            recovery.recorded(client);
            settleDepartures();
        });
    }

    @Override
    public boolean isAny(Client client) {
        return !files.of(client).isEmpty() || !delegations.held().of(client).isEmpty();
    }

    @Override
    public boolean hindersStrangers(Client client) {
        return locks.locksOf(client) > 0 && service.backends().isAnyOf(client.address());
    }

    /**
     * Called when a client is removed. No lookup finds its states from now on. They keep others out until the client is
     * forgotten; then the background thread frees them.
     */
    @Override
    public void depart(Client client) {
        sessions.depart(client);
        dialed.depart(client);
        files.depart(client);
        locks.depart(client);
        owners.depart(client);
        delegations.held().depart(client);
        layouts.depart(client);
        if (recovery.depart(client)) {
            lock.flushLater();
        } else {
            clearLater(client);
        }
    }

    /** Two hosts of one name expel each other for ever. Each pair of addresses has its line, without the lock. */
    @Override
    public void replaced(Client old, Client by) {
        lock.follow(() -> LINES.admit("two clients of one name " + old.address(), by.address())
                .ifPresent(more -> LOG.atWarn()
                        .addKeyValue("fault", "peer")
                        .addKeyValue("peer", by.address())
                        .addKeyValue("cause", "twins")
                        .log(
                                "the NFSv4 client at {} has the name of the one at {}, which is taken to have "
                                        + "restarted and loses its opens and locks ({} more like it). If these are "
                                        + "two hosts, give each a nfs4_unique_id of its own (docs/client.md)",
                                by.address(),
                                old.address(),
                                more)));
    }

    /** Frees the states of removed clients, a portion at a time. */
    private void clear() {
        boolean more = true;
        while (more) {
            more = lock.aside(this::clearPortion);
        }
    }

    /** Frees one portion. Returns true if there is more. */
    private boolean clearPortion() {
        int left = PORTION;
        while (left > 0) {
            Client client = departed.peek();
            if (client == null) {
                clearing = false;
                return false;
            }
            left -= clearPortion(client, left);
            if (!isAny(client) && !owners.hasAny(client)) {
                departed.remove();
            }
        }
        return true;
    }

    private int clearPortion(Client client, int most) {
        int done = files.clear(client, most);
        done += delegations.clear(client, most - done);
        if (!isAny(client)) {
            done += owners.clear(client, most - done);
        }
        return Math.max(done, 1);
    }

    /** Removes a client with all its state. If it was confirmed, the grace period no longer waits for it to reclaim. */
    void letGo(Client client) {
        boolean confirmed = clients.isConfirmed(client);
        clients.remove(client);
        if (confirmed) {
            // An unconfirmed client may only use the name of another one, which still has to reclaim.
            recovery.completed(client);
        }
    }

    long leaseNanos() {
        return leaseNanos;
    }

    long sweepPauseNanos() {
        return leaseNanos / 4;
    }

    void sweepNowAndThen(long nowNanos) {
        if (nowNanos - lastSweepNanos > sweepPauseNanos()) {
            lastSweepNanos = nowNanos;
            grace.isRunning(nowNanos);
            settleDepartures();
            if (recovery.departAgain(PORTION)) {
                lock.flushLater();
            }
            sweep(nowNanos);
        }
    }

    /** Sweeps a portion of each table. The background thread goes on with the rest. */
    private void sweep(long nowNanos) {
        boolean more = clients.sweep(nowNanos, SWEPT_CLIENTS);
        more |= owners.sweep(nowNanos, leaseNanos, PORTION);
        more |= delegations.sweep(nowNanos, PORTION);
        more |= layouts.sweep(nowNanos, PORTION);
        if (more) {
            later(() -> sweep(nowNanos));
        }
    }

    /** Has the background thread do something under the lock. */
    private void later(Runnable step) {
        lock.later(() -> lock.aside(() -> {
            step.run();
            return true;
        }));
    }

    /** How often a client was refused something because its share was used up. */
    long refused() {
        return clients.refused()
                + sessions.refused()
                + files.shares().refused()
                + locks.refused()
                + owners.refused()
                + delegations.held().refused();
    }

    /** Frees all state of the files of a file system that is no longer served, a portion at a time. */
    void withdraw(FileSystem fileSystem) {
        for (Client client : locked(files::clients)) {
            List<OpenState> opens = locked(() -> files.opensOf(client, fileSystem));
            for (List<OpenState> portion : Lists.partition(opens, PORTION)) {
                change(() -> portion.forEach(files::withdraw));
            }
        }
        for (Client client : locked(delegations.held()::clients)) {
            List<DelegationState> held = locked(() -> delegations.held().of(client, fileSystem));
            for (List<DelegationState> portion : Lists.partition(held, PORTION)) {
                change(() -> portion.forEach(delegations::withdraw));
            }
        }
    }

    /** Closes the files of all states. */
    void close() {
        journal.close();
        change(() -> {
            files.releaseFiles();
            delegations.releaseFiles();
        });
    }
}
