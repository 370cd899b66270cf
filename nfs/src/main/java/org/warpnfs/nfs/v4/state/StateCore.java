package org.warpnfs.nfs.v4.state;

import com.google.common.collect.Lists;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * What all parts of the state share: the one lock, the tables it guards, and what every part asks first.
 *
 * <h2>Operation</h2>
 *
 * Nothing that can wait happens under the lock. What a part decides on while it holds the lock is done when the lock is free again, on
 * the same thread: callbacks leave, and files that its request let go are closed. What others left behind (the opens of a client that is
 * gone, their files, the journal's entry) is done by the background thread, which takes the lock for {@value #PORTION} states at a time.
 */
final class StateCore {
    private static final Logger LOG = LoggerFactory.getLogger(StateCore.class);
    /** How many states of a client that is gone are taken down before others have their turn: some tens of microseconds. */
    static final int PORTION = 256;

    final StateLimits limits;
    final long leaseNanos;
    final RecoveryJournal journal;
    final Grace grace;
    final ClientTable clients;
    final ClientidTable clientids;
    final SlotRecalls slotRecalls;
    final StateEntries states;
    final OwnerTable owners;
    final LockTable locks;
    final FileStates files;
    final DelegationTable delegations;

    private final ReentrantLock lock = new ReentrantLock();
    private final CallbackSender sender;
    private final Executor background;
    private List<CallbackCall> outbox = new ArrayList<>();
    /** Let go by the request itself: closed on its thread, so that nobody opens faster than the backend closes. */
    private List<SharedFile> letGo = new ArrayList<>();
    /** Taken from someone else: closed on the background thread. */
    private List<SharedFile> taken = new ArrayList<>();
    /** Clients that are gone and whose states have to be taken down yet. */
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
            long nowNanos) {
        this.limits = limits;
        this.leaseNanos = leaseNanos;
        this.sender = sender;
        this.background = background;
        this.journal = new RecoveryJournal(log);
        this.grace = new Grace(log, journal, nowNanos, graceNanos);
        this.states = new StateEntries(log.instance());
        this.owners = new OwnerTable(limits);
        this.locks = new LockTable(limits, states, owners);
        this.files = new FileStates(limits, states, owners, locks, file -> letGo.add(file));
        this.delegations = new DelegationTable(
                limits, leaseNanos, states, files, file -> letGo.add(file), file -> taken.add(file));
        this.clients =
                new ClientTable(limits, leaseNanos, grace, log.instance(), this::forget, call -> outbox.add(call));
        this.clientids = new ClientidTable(clients);
        this.slotRecalls = new SlotRecalls(this);
        this.lastSweepNanos = nowNanos;
    }

    /** What needs the lock. */
    @FunctionalInterface
    interface Guarded<T> {
        T run() throws Nfs4Exception;
    }

    /** What needs the lock and gives nothing. */
    @FunctionalInterface
    interface GuardedAction {
        void run() throws Nfs4Exception;
    }

    /** Runs {@code body} under the lock, then what it left to be done without. */
    <T> T locked(Guarded<T> body) throws Nfs4Exception {
        lock.lock();
        try {
            return body.run();
        } finally {
            unlock();
        }
    }

    /** As {@link #locked}. */
    void change(GuardedAction body) throws Nfs4Exception {
        lock.lock();
        try {
            body.run();
        } finally {
            unlock();
        }
    }

    /** As {@link #locked}, for what cannot be refused. */
    <T> T look(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            unlock();
        }
    }

    /** As {@link #locked}, for what cannot be refused and gives nothing. */
    void tell(Runnable body) {
        lock.lock();
        try {
            body.run();
        } finally {
            unlock();
        }
    }

    /** For tests of what must not happen under the lock. */
    boolean isHeldByThisThread() {
        return lock.isHeldByCurrentThread();
    }

    private void unlock() {
        List<CallbackCall> calls = List.of();
        List<SharedFile> own = List.of();
        List<SharedFile> others = List.of();
        if (!outbox.isEmpty()) {
            calls = outbox;
            outbox = new ArrayList<>();
        }
        if (!letGo.isEmpty()) {
            own = letGo;
            letGo = new ArrayList<>();
        }
        if (!taken.isEmpty()) {
            others = taken;
            taken = new ArrayList<>();
        }
        boolean clear = !departed.isEmpty() && !clearing;
        clearing |= clear;
        lock.unlock();
        calls.forEach(this::send);
        own.forEach(StateCore::release);
        if (clear) {
            background.execute(this::clear);
        }
        if (!others.isEmpty()) {
            List<SharedFile> files = others;
            background.execute(() -> files.forEach(StateCore::release));
        }
        if (journal.isDue()) {
            background.execute(journal::flush);
        }
    }

    private void send(CallbackCall call) {
        try {
            sender.send(call);
        } catch (RuntimeException e) {
            // One call that fails must not keep the others.
            LOG.error("A callback could not be sent: a defect of this server", e);
        }
    }

    private static void release(SharedFile file) {
        try {
            file.release();
        } catch (RuntimeException e) {
            LOG.error("A file could not be closed: a defect of this server", e);
        }
    }

    /** Takes down what clients that are gone have left, a portion at a time. */
    private void clear() {
        boolean more = true;
        while (more) {
            more = look(this::clearPortion);
        }
    }

    /** True if there is more. */
    private boolean clearPortion() {
        int left = PORTION;
        while (left > 0) {
            Client client = departed.peek();
            if (client == null) {
                clearing = false;
                return false;
            }
            left -= clearPortion(client, left);
            if (!client.hasState() && client.openOwners.isEmpty() && client.lockOwners.isEmpty()) {
                departed.remove();
            }
        }
        return true;
    }

    private int clearPortion(Client client, int most) {
        int done = files.clear(client, most);
        done += delegations.clear(client, most - done);
        if (!client.hasState()) {
            done += owners.clear(client, most - done);
        }
        return Math.max(done, 1);
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

    /** If the grace period is about to end, waits until the journal knows. Without the lock. */
    void settleGrace(long nowNanos) {
        if (grace.isOver()) {
            return;
        }
        tell(() -> grace.isRunning(nowNanos));
        settleGrace();
    }

    /** If the grace period is ending, waits until the journal knows. Without the lock. */
    void settleGrace() {
        RecoveryJournal.Entry entry = grace.ending();
        if (entry == null) {
            return;
        }
        try {
            journal.await(entry);
        } catch (IOException e) {
            LOG.warn("The end of the grace period could not be recorded: it goes on until it can", e);
        }
        tell(grace::settle);
    }

    /** As long as a client without a lease stands in the way it is let go; one that has its lease is the answer. */
    void expireWhile(long nowNanos, Obstacle obstacle, Nfs4Status status) throws Nfs4Exception {
        for (Conflict conflict = obstacle.find(); conflict != null; conflict = obstacle.find()) {
            if (!conflict.holder().isExpired(nowNanos, leaseNanos)) {
                throw conflict.lock() == null ? Nfs4Exception.of(status) : new LockDenied(conflict.lock());
            }
            clients.expire(conflict.holder());
        }
    }

    @FunctionalInterface
    interface Obstacle {
        @Nullable
        Conflict find() throws Nfs4Exception;
    }

    /** The journal has to know a client before it is given its first state. Waits for the disk, without the lock. */
    void record(Client client) throws Nfs4Exception {
        if (client.recorded) {
            return;
        }
        RecoveryJournal.Entry entry = locked(() -> {
            requirePresent(client);
            RecoveryJournal.Entry noted = client.recording;
            if (noted == null || noted.hasFailed()) {
                noted = journal.note(new RecoveryLog.Change.Added(client.owner()));
                client.recording = noted;
            }
            return noted;
        });
        try {
            journal.await(entry);
        } catch (IOException e) {
            throw Nfs4Exception.of(Nfs4Status.IO);
        }
        client.recorded = true;
    }

    /** A client is gone: nothing finds its states any more, and the background thread takes them down. */
    private void forget(Client client) {
        files.depart(client);
        locks.depart(client);
        owners.depart(client);
        delegations.depart(client);
        if (client.hasState() || !client.openOwners.isEmpty() || !client.lockOwners.isEmpty()) {
            departed.add(client);
        }
        if (client.recording != null) {
            client.removal = journal.note(new RecoveryLog.Change.Removed(client.owner()));
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

    /** How often someone was refused more than a share. */
    long refused() {
        return clients.refused()
                + files.shares().refused()
                + locks.refused()
                + owners.refused()
                + delegations.refused();
    }

    /** Takes down what clients hold of files of a file system that is not served any more, a portion at a time. */
    void withdraw(FileSystem fileSystem) {
        List<OpenState> opens = look(() -> files.opensOf(fileSystem));
        for (List<OpenState> portion : Lists.partition(opens, PORTION)) {
            tell(() -> portion.forEach(files::withdraw));
        }
        List<DelegationState> held = look(() -> delegations.of(fileSystem));
        for (List<DelegationState> portion : Lists.partition(held, PORTION)) {
            tell(() -> portion.forEach(delegations::withdraw));
        }
    }

    /** Closes the files of all states. */
    void close() {
        journal.close();
        tell(() -> {
            files.allOpens().forEach(open -> open.releaseFiles(letGo::add));
            delegations.releaseFiles(letGo::add);
        });
    }
}
