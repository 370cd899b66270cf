package org.warpnfs.nfs.v4.state;

import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.HeldAttributes;
import org.warpnfs.nfs.v4.state.callback.HolderQuery;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.BackendLease;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.state.file.DelegationState;
import org.warpnfs.nfs.v4.state.file.DelegationUse;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.HeldDelegations;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Delegations: DELEGRETURN, changes of delegated files, and what their clients know of them. {@link OpenStates} grants
 * delegations. See {@link StateTable}.
 */
public final class DelegationStates {
    private static final Logger LOG = LoggerFactory.getLogger(DelegationStates.class);
    /** Requests that may wait for answers to CB_GETATTR at a time: fewer than a lane has threads. */
    private static final int MAX_WAITING = 4;

    /** Several times what a client needs that has it in memory. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long BREAK_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int BREAK_THREADS = 2;
    private static final int IDLE_SECONDS = 10;

    private final StateCore core;
    /** Of its own: a disk that others wait for must not delay the end of a lease. */
    private final ScheduledThreadPoolExecutor breaks = breakThreads();

    private final Semaphore waiting = new Semaphore(MAX_WAITING);
    private volatile long patienceNanos = PATIENCE_NANOS;

    DelegationStates(StateCore core) {
        this.core = core;
    }

    /**
     * Begins a change of a file's data, attributes or names. No client other than {@code by} has or gets a delegation
     * or a layout of the file until the change is closed. May wait for a disk.
     *
     * @param by the client that makes the change; null for anyone who is not an NFSv4 client
     * @throws Nfs4Exception DELAY while another client has a delegation or a layout of it, which is being recalled
     */
    public Change beginChange(long nowNanos, FileKey file, @Nullable Client by) throws Nfs4Exception {
        return core.afterDepartures(() -> {
            core.expireWhile(
                    nowNanos,
                    () -> core.delegations.conflict(nowNanos, file, by, DelegationUse.CHANGE),
                    Nfs4Status.DELAY);
            core.expireWhile(nowNanos, () -> core.layouts.conflict(nowNanos, file, by), Nfs4Status.DELAY);
            core.delegations.changes().begin(file);
            core.layouts.changes().begin(file);
            return new Change(file);
        });
    }

    /**
     * True if a client has a write delegation of the file, and so may have data and attributes of it that the server
     * does not know. For any thread; takes no lock.
     */
    public boolean isWriteDelegated(FileKey file) {
        return core.delegations.held().isWriteDelegated(file);
    }

    /** How often a file ceased to be write-delegated: see {@link HeldDelegations#writtenBack}. For any thread. */
    public long writtenBack() {
        return core.delegations.held().writtenBack();
    }

    /** True if the client has a write delegation of the file. */
    public boolean isWriter(FileKey file, Client client) {
        return core.locked(() -> core.delegations.held().isWriter(file, client));
    }

    /**
     * The client of NFSv4.0 at this address that has a write delegation of the file, if there is one. Its requests for
     * attributes do not say that they are its own, and must not wait until it returns the delegation: it asks for
     * attributes in the request that does so.
     */
    public Optional<Client> sessionlessWriterAt(FileKey file, ClientAddress address) {
        return core.locked(() -> Optional.ofNullable(core.delegations.held().sessionlessWriterAt(file, address)));
    }

    /** True if {@link #isWriteDelegated} may be true for some file. For any thread; takes no lock. */
    public boolean isAnyWriteDelegated() {
        return core.delegations.held().isAnyWriteDelegated();
    }

    /**
     * Must be called before a file's data or attributes are read for {@code by} without an open.
     *
     * @param by null for anyone who is not an NFSv4 client
     * @throws Nfs4Exception DELAY while another client has a write delegation of it, which is being recalled
     */
    public void requireNoWriter(long nowNanos, FileKey file, @Nullable Client by) throws Nfs4Exception {
        if (isWriteDelegated(file)) {
            core.change(() -> core.requireNoWriter(nowNanos, file, by));
        }
    }

    /**
     * Attributes of a file from the client that has a write delegation of it. Waits for its answer for a moment, but
     * not on behalf of more than {@value #MAX_WAITING} requests at a time.
     *
     * @param by the client that asks, which may have the delegation itself; null for an unknown one
     * @return null if no other client has one: what the backend knows is right
     * @throws Nfs4Exception DELAY if the client does not answer; its delegation is then recalled
     */
    public @Nullable Held ask(long nowNanos, FileKey file, @Nullable Client by) throws Nfs4Exception {
        if (!isWriteDelegated(file)) {
            return null;
        }
        if (!waiting.tryAcquire()) {
            // Nobody waits for ever because others ask for something else all the time.
            core.afterDepartures(() -> {
                core.requireNoWriter(nowNanos, file, by);
                return true;
            });
            return null;
        }
        try {
            Optional<Asked> asked = core.afterDepartures(() -> asked(nowNanos, file, by));
            return asked.isEmpty() ? null : answered(nowNanos, file, by, asked.get());
        } finally {
            waiting.release();
        }
    }

    /**
     * False while half of the places to wait are taken, so that whoever can do without an answer leaves the rest to
     * others, and recalls nothing. For any thread; takes no lock.
     */
    public boolean hasRoomToAsk() {
        return waiting.availablePermits() > MAX_WAITING / 2;
    }

    private @Nullable Held answered(long nowNanos, FileKey file, @Nullable Client by, Asked asked)
            throws Nfs4Exception {
        HeldAttributes answer = asked.query().await(patienceNanos);
        Optional<Held> held = core.afterDepartures(() -> {
            // If it was returned meanwhile, whatever its client had changed is here.
            boolean isStill = core.delegations.held().writerOf(file, by) == asked.delegation();
            if (!isStill || answer == null) {
                core.requireNoWriter(nowNanos, file, by);
                return Optional.empty();
            }
            return Optional.of(
                    new Held(answer, asked.delegation().whenGranted(), asked.delegation(), asked.timesSent()));
        });
        return held.orElse(null);
    }

    private record Asked(DelegationState delegation, HolderQuery query, int timesSent) {}

    private Optional<Asked> asked(long nowNanos, FileKey file, @Nullable Client by) throws Nfs4Exception {
        DelegationState delegation = core.delegations.held().writerOf(file, by);
        if (delegation == null) {
            return Optional.empty();
        }
        // Without the attributes that the client began with, its answer does not say whether it has changed anything.
        boolean isUseless = delegation.whenGranted() == null || core.clients.isExpired(delegation.client(), nowNanos);
        int timesSent = delegation.timesSent();
        HolderQuery query = isUseless ? null : core.delegations.ask(nowNanos, delegation);
        if (query == null) {
            core.requireNoWriter(nowNanos, file, by);
            return Optional.empty();
        }
        return Optional.of(new Asked(delegation, query, timesSent));
    }

    /**
     * The attributes of a file that a client has under its write delegation.
     *
     * @param whenGranted the attributes that the client got with the delegation; null if not known
     * @param timesSent how often the client had sent times when it was asked
     */
    public record Held(
            HeldAttributes attributes,
            @Nullable FileAttributes whenGranted,
            DelegationState delegation,
            int timesSent) {}

    /** True if the client still has the delegation, and has sent no times of the file since it was asked. */
    public boolean isLatest(Held held) {
        return core.locked(() -> core.delegations.held().isHeld(held.delegation())
                && held.delegation().timesSent() == held.timesSent());
    }

    /**
     * Must be called before the file's times are changed because its holder has changed the file. False if the
     * delegation has ended meanwhile: what the backend knows is right.
     *
     * @param by as for {@link #ask}
     * @throws Nfs4Exception DELAY if others have asked too often within a second; the delegation is then recalled
     */
    public boolean mayTouch(long nowNanos, Held held, @Nullable Client by) throws Nfs4Exception {
        return core.afterDepartures(() -> {
            DelegationState delegation = held.delegation();
            boolean isHeld = core.delegations.held().isHeld(delegation);
            if (isHeld && delegation.mayTouch(nowNanos)) {
                return true;
            }
            core.requireNoWriter(nowNanos, delegation.key(), by);
            return false;
        });
    }

    /** Notes the attributes of a file whose write delegation {@code client} has just got. */
    public void granted(Client client, FileKey file, FileAttributes attributes) {
        core.change(() -> core.delegations.held().setWhenGranted(client, file, attributes));
    }

    /**
     * Checks that a client may set time_deleg_access and time_deleg_modify of a file.
     *
     * @return the attributes from when it got its delegation; null if not known
     * @throws Nfs4Exception BAD_STATEID unless the stateid is of a delegation with these times
     */
    public @Nullable FileAttributes timesOf(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        Optional<FileAttributes> granted =
                core.locked(() -> Optional.ofNullable(core.delegations.timesOf(client, file, stateid)));
        return granted.orElse(null);
    }

    /**
     * Takes a lease at the file's backend, if it has some and an open may get a delegation. Must be called without a
     * lock; waits as the backend does.
     *
     * @return what the open's wish says of a lease
     */
    public Leased leaseFor(
            LongSupplier clockNanos,
            OpenRequest request,
            DelegationWant.Kind wish,
            FileSystem backend,
            FileHandle file) {
        boolean isNeeded =
                core.service.backends().isWanted() && backend.limits().has(Capability.LEASES);
        if (!isNeeded) {
            return new Leased(null, true);
        }
        if (!core.locked(() -> core.delegations.grants().mayGrant(clockNanos.getAsLong(), request, wish))) {
            // What hinders a delegation now may be over when it is decided.
            return new Leased(null, false);
        }
        boolean writes = (request.access() & OpenRequest.WRITE) != 0;
        BackendLease lease = BackendLease.take(backend, file, writes, broken -> leaseBreaks(clockNanos, broken))
                .orElse(null);
        return new Leased(lease, lease != null);
    }

    /**
     * A lease for a delegation that may be granted.
     *
     * @param lease null if there is none, or none is needed
     * @param isEnough false if one is needed
     */
    public record Leased(@Nullable BackendLease lease, boolean isEnough) {}

    /** Gives a lease back that no delegation has. Must be called without a lock. */
    public void endUnlessGranted(Leased leased) {
        BackendLease lease = leased.lease();
        if (lease != null && !core.locked(lease::isGranted)) {
            lease.end();
        }
    }

    /**
     * Nobody asks on behalf of who waits at the backend, so the client is told again until it returns the delegation.
     */
    private void leaseBreaks(LongSupplier clockNanos, BackendLease lease) {
        boolean again = true;
        try {
            long patience = Math.min(core.leaseNanos(), lease.patienceNanos());
            again = core.locked(() -> core.delegations.leaseBreaks(clockNanos.getAsLong(), lease, patience));
        } catch (RuntimeException | Error e) {
            LOG.error("A delegation whose lease breaks could not be recalled: a defect of this server", e);
        }
        if (again) {
            var _ = breaks.schedule(() -> leaseBreaks(clockNanos, lease), BREAK_PAUSE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private static ScheduledThreadPoolExecutor breakThreads() {
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(
                BREAK_THREADS,
                Thread.ofPlatform().daemon().name("nfs4-leases").factory(),
                new ThreadPoolExecutor.DiscardPolicy());
        threads.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Ends the timers when the server ends. */
    void close() {
        breaks.shutdownNow();
    }

    /** Sets how long a request waits for a client's answer to CB_GETATTR. */
    public void setPatience(long nanos) {
        patienceNanos = nanos;
    }

    /** True if clients may get delegations of directories. For any thread; takes no lock. */
    public boolean mayDelegateDirectories() {
        return core.delegations.grants().mayDelegateDirectories();
    }

    /** GET_DIR_DELEGATION. Empty if there is none to give now. */
    public Optional<Stateid> grantDirectory(
            long nowNanos,
            Client client,
            FileKey directory,
            Opaque wireHandle,
            @Nullable ReferringCall by,
            FileSystem fileSystem)
            throws Nfs4Exception {
        return core.locked(() -> {
            core.requirePresent(client);
            return Optional.ofNullable(
                    core.delegations.grants().grantDirectory(nowNanos, client, directory, wireHandle, by, fileSystem));
        });
    }

    /** Sets which delegations clients get from now on. */
    public void setPolicy(DelegationPolicy policy) {
        core.change(() -> core.delegations.grants().setPolicy(policy));
    }

    /** The time during which a file is changed. It ends once. */
    public final class Change implements AutoCloseable {
        private final FileKey file;

        private Change(FileKey file) {
            this.file = file;
        }

        @Override
        public void close() {
            core.change(() -> {
                core.delegations.changes().end(file);
                core.layouts.changes().end(file);
            });
        }
    }

    /** DELEGRETURN. */
    public void giveBack(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.delegations.giveBack(client, file, stateid));
    }

    /** Checks CLAIM_DELEGATE_CUR; BAD_STATEID unless the stateid is that of the client's delegation of the file. */
    public void require(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.delegations.find(client, file, stateid));
    }
}
