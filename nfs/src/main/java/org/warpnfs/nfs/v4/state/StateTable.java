package org.warpnfs.nfs.v4.state;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.v4.state.callback.CallbackSender;
import org.warpnfs.nfs.v4.state.client.SlotCounts;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.LayoutCounts;
import org.warpnfs.nfs.v4.state.file.QuestionCounts;
import org.warpnfs.nfs.v4.state.file.RecallCounts;
import org.warpnfs.nfs.v4.state.recovery.RecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * All state of NFSv4 clients, behind one lock. Nothing that can wait happens under the lock: no file is opened or
 * closed, nothing is written, no client is called.
 *
 * <p>Its parts are {@link #sessions()}, of NFSv4.0 {@link #clientids()} and {@link #owners()}, {@link #callbacks()},
 * {@link #opens()}, {@link #locks()}, {@link #delegations()}, {@link #layouts()} and {@link #stateids()}; for
 * administrators {@link #listings()} and {@link #administration()}.
 *
 * <h2>Leases</h2>
 *
 * A client whose lease has run out keeps its state until another client's open, lock or change conflicts with it, until
 * room is needed, or until {@link StateLimits#courtesyLeases} leases have passed. Then it is removed with all its
 * state. It learns of that from BADSESSION and STALE_CLIENTID, or in NFSv4.0 from EXPIRED and BAD_STATEID. A client
 * without state is removed when its lease runs out.
 *
 * <h2>Errors</h2>
 *
 * Every method throws the status that the operation of the same name answers. Safe for any thread.
 */
public final class StateTable implements AutoCloseable {
    private static final int BACKGROUND_IDLE_SECONDS = 10;

    private final Executor background;
    private final Executor closer;
    private final StateCore core;
    private final SessionStates sessions;
    private final ClientidStates clientids;
    private final OwnerStates owners;
    private final CallbackStates callbacks;
    private final OpenStates opens;
    private final LockStates locks;
    private final DelegationStates delegations;
    private final LayoutStates layouts;
    private final StateidStates stateids;
    private final StateListings listings;
    private final StateAdministration administration;

    /**
     * @param graceNanos how long clients may reclaim after a restart, at most
     * @param nowNanos present time of the clock that every other method gets its times from
     */
    public StateTable(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            long nowNanos) {
        this(limits, leaseNanos, graceNanos, log, sender, ownThread("nfs4-state"), nowNanos);
    }

    /**
     * @param locks the byte ranges of all protocols
     * @param graceNanos how long clients may reclaim after a restart, at most
     * @param nowNanos present time of the clock that every other method gets its times from
     */
    public StateTable(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            LockService locks,
            long nowNanos) {
        this(
                limits,
                leaseNanos,
                graceNanos,
                log,
                sender,
                ownThread("nfs4-state"),
                ownThread("nfs4-close"),
                locks,
                nowNanos);
    }

    /**
     * @param background runs what no call waits for, including what may wait for a disk; closed with the table if it
     *     can be. If it is an executor that can be closed, another thread closes files
     */
    StateTable(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            Executor background,
            long nowNanos) {
        this(
                limits,
                leaseNanos,
                graceNanos,
                log,
                sender,
                background,
                background instanceof ExecutorService ? ownThread("nfs4-close") : background,
                new LockService(limits.maxLocks(), background),
                nowNanos);
    }

    private StateTable(
            StateLimits limits,
            long leaseNanos,
            long graceNanos,
            RecoveryLog log,
            CallbackSender sender,
            Executor background,
            Executor closer,
            LockService service,
            long nowNanos) {
        this.background = background;
        this.closer = closer;
        core = new StateCore(limits, leaseNanos, graceNanos, log, sender, background, closer, service, nowNanos);
        sessions = new SessionStates(core);
        clientids = new ClientidStates(core);
        owners = new OwnerStates(core);
        callbacks = new CallbackStates(core);
        opens = new OpenStates(core);
        locks = new LockStates(core);
        delegations = new DelegationStates(core);
        layouts = new LayoutStates(core);
        stateids = new StateidStates(core);
        listings = new StateListings(core);
        administration = new StateAdministration(core, listings);
    }

    private static ExecutorService ownThread(String name) {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1,
                1,
                BACKGROUND_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name(name).factory(),
                new ThreadPoolExecutor.CallerRunsPolicy());
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    /** Number of states in memory, including those of removed clients. */
    int remembered() {
        return core.locked(core.states::count);
    }

    /** For tests: true if the client was noted in the journal, even if the entry is not written yet. */
    boolean isNoted(Client client) {
        return core.locked(() -> core.recovery.isNoted(client));
    }

    /** For tests: true if this thread has the lock. */
    boolean isLockedByThisThread() {
        return core.lock.isHeldByThisThread();
    }

    /** Runs what no call waits for, on a thread that may wait for a disk. */
    public Executor background() {
        return background;
    }

    /** Closes files that no call waits for, on a thread that waits for nothing else. */
    public Executor closer() {
        return closer;
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

    public LayoutStates layouts() {
        return layouts;
    }

    public StateidStates stateids() {
        return stateids;
    }

    public StateListings listings() {
        return listings;
    }

    public StateAdministration administration() {
        return administration;
    }

    /**
     * Frees all opens, locks and delegations of files of a file system that is no longer served, and closes its files.
     * Clients see it from their handles, which are stale by then.
     */
    public void withdraw(FileSystem fileSystem) {
        core.withdraw(fileSystem);
    }

    /** Limits of clients; for NFSv4.0 also of the size of requests and replies. */
    public StateLimits limits() {
        return core.limits;
    }

    /** True once the grace period of this server's own clients is over, for good. */
    public boolean isGraceOver() {
        return core.grace.isOver();
    }

    public boolean isGraceRunning(long nowNanos) {
        return isRecovering(nowNanos) || core.grace.isShared(nowNanos);
    }

    /** True while clients of this server may reclaim, whatever other servers do. */
    public boolean isRecovering(long nowNanos) {
        core.settleGrace(nowNanos);
        return !core.grace.isOver() && core.locked(() -> core.grace.isRecovering(nowNanos));
    }

    /**
     * Returns when every call that was permitted new state before has got it. For one who has just begun to keep it
     * from everyone.
     */
    public void awaitPermitted() {
        core.change(() -> {});
    }

    /** True while OPENs that were permitted to are creating their files. */
    public boolean isMaking() {
        return core.locked(() -> !core.permits.isEmpty());
    }

    /** OPENs that have not created their files yet get no opens without asking again. */
    public void withdrawPermits() {
        core.change(core.permits::clear);
    }

    /** Throws GRACE while clients may still reclaim what the operation could take from them. */
    public void requireNoGrace(long nowNanos) throws Nfs4Exception {
        if (isGraceRunning(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.GRACE);
        }
    }

    /** Numbers of clients, sessions, opens and others, for people and metrics. */
    public Counts counts() {
        return core.locked(() -> new Counts(
                core.clients.count(),
                core.sessions.count(),
                core.sessions.slotCounts(),
                core.files.openCount(),
                core.locks.count(),
                core.files.openCount()
                        + core.locks.stateCount()
                        + core.delegations.held().count(),
                core.owners.openOwnerCount(),
                core.delegations.held().count(),
                core.sessions.replies().takenBytes(),
                core.sessions.replies().putOff(),
                core.slotRecalls.sent(),
                core.sessions.connectionsNotBound(),
                core.clients.expired(),
                core.refused(),
                core.delegations.recalls().counts(),
                core.delegations.questions()));
    }

    /**
     * Amounts of state now, and events since the start.
     *
     * @param stateids of opens, locks and delegations
     * @param openOwners of NFSv4.0
     * @param keptReplyBytes of all slots but the first of each session, including what requests in progress have
     *     reserved
     * @param repliesPutOff requests that got DELAY because there was no room to keep their replies, since the start
     * @param slotRecalls how often a session was asked to give up slots, since the start
     * @param connectionsNotBound how often a connection was not remembered as bound to a session because the session
     *     had its limit of them, since the start
     * @param clientsExpired clients that were removed because they were silent for too long, since the start
     * @param refused how often a client was refused something because it or its address had used up its share, since
     *     the start
     * @param recalls of delegations
     * @param questions to clients with delegations
     */
    public record Counts(
            int clients,
            int sessions,
            SlotCounts slots,
            int opens,
            int locks,
            int stateids,
            int openOwners,
            int delegations,
            long keptReplyBytes,
            long repliesPutOff,
            long slotRecalls,
            long connectionsNotBound,
            long clientsExpired,
            long refused,
            RecallCounts recalls,
            QuestionCounts questions) {}

    /** How often {@link #sweep} is to be called if no client may call for a long time. */
    public long sweepPauseNanos() {
        return core.sweepPauseNanos();
    }

    /** Ends what has outlived its time. Calls of clients do the same now and then. */
    public void sweep(long nowNanos) {
        core.settleGrace(nowNanos);
        core.change(() -> core.sweepNowAndThen(nowNanos));
    }

    /** Numbers of layouts, for people and metrics. */
    public LayoutCounts layoutCounts() {
        return core.locked(core.layouts::counts);
    }

    /** Closes every file. The journal is not changed. */
    @Override
    public void close() {
        delegations.close();
        core.close();
        for (Executor executor : List.of(background, closer)) {
            if (executor instanceof ExecutorService own) {
                own.shutdown();
            }
        }
    }
}
