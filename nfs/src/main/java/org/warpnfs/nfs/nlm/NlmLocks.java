package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.HeldLock;
import org.warpnfs.nfs.locks.LockAttempt;
import org.warpnfs.nfs.locks.LockService;
import org.warpnfs.nfs.locks.LockWaiter;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.locks.LocksBusyException;
import org.warpnfs.nfs.locks.OwnerTurns;
import org.warpnfs.nfs.locks.Reservation;

/**
 * The locks of NLM clients. A client is remembered on stable storage before it gets a lock or stands in line for one.
 *
 * <p>Safe for any thread. {@link #lock} waits for a disk, and all wait for a backend that has locks; they hold no lock
 * meanwhile.
 */
final class NlmLocks {
    private static final Logger LOG = LoggerFactory.getLogger(NlmLocks.class);
    /** Number of departed owners that one request removes from its way. */
    private static final int MAX_DEPARTED = 16;
    /** How long a request waits for another one of its owner. */
    private static final long BUSY_MILLIS = 4000;
    /** How long a reclaim waits until every server of the cluster enforces the grace period. */
    private static final long RECLAIM_MILLIS = 10_000;

    private static final long RECLAIM_PAUSE_MILLIS = 50;

    private final LockService service;
    private final HostHoldings holdings;
    private final HostMonitor monitor;
    private final DepartedOwners departed;
    private final BooleanSupplier otherGrace;
    private final BooleanSupplier otherRecovery;
    private final BooleanSupplier ownReclaims;
    private final FileChanges fileChanges;
    private final LongSupplier clockNanos;
    private final Granting granting;
    private final LogLimiter log = new LogLimiter();
    private final AtomicLong cookies = new AtomicLong();

    /** @param clockNanos the clock of the service's {@link LockService#isReclaiming} */
    NlmLocks(
            LockService service, NlmLimits limits, HostMonitor monitor, OtherPrograms others, LongSupplier clockNanos) {
        this.service = service;
        this.holdings = new HostHoldings(limits.maxLocks());
        this.monitor = monitor;
        this.departed = others.departed();
        this.otherGrace = others.otherGrace();
        this.otherRecovery = others.otherRecovery();
        this.ownReclaims = others.ownReclaims();
        this.fileChanges = others.fileChanges();
        this.clockNanos = clockNanos;
        this.granting = new Granting(others.calls(), this::release);
    }

    private static HostHoldings.Place place(NlmCaller caller, Location file, NlmLock lock) {
        return new HostHoldings.Place(
                file.fileSystem(),
                file.identity(),
                new NlmOwner(caller.host(lock.callerName()), lock.process(), lock.owner()));
    }

    /** True while clients may reclaim, and nothing else. */
    boolean isReclaiming() {
        return service.isReclaiming(clockNanos.getAsLong()) || otherGrace.getAsBoolean();
    }

    /** True while clients of this server may reclaim. */
    private boolean isRecovering() {
        return service.isReclaiming(clockNanos.getAsLong()) || otherRecovery.getAsBoolean();
    }

    /** True if the client had locks before a restart and may reclaim them now. */
    boolean mayReclaim(NlmHost host) {
        return isRecovering() && monitor.mayReclaim(host);
    }

    /** TEST. */
    NlmReply test(NlmCaller caller, Location file, TestArgs args) {
        if (isReclaiming()) {
            return NlmReply.of(NlmStatus.DENIED_GRACE_PERIOD);
        }
        HostHoldings.Place place = place(caller, file, args.lock());
        try {
            fileChanges.beforeReading(place.file());
        } catch (FsException e) {
            // As for a LOCK: a client with a delegation may have locks that it is about to tell.
            return NlmReply.of(NlmStatus.DENIED_GRACE_PERIOD);
        }
        for (int tries = 0; tries < MAX_DEPARTED; tries++) {
            HeldLock holder;
            try {
                holder = service.conflict(
                        place.file(),
                        place.owner(),
                        args.exclusive(),
                        args.lock().range());
            } catch (LocksBusyException e) {
                continue;
            }
            if (holder == null) {
                return testAtBackend(place, file, args);
            }
            try {
                if (!departed.letGo(holder.owner())) {
                    return new NlmReply.Tested(NlmStatus.DENIED, holder);
                }
            } catch (FsException e) {
                return NlmReply.of(NlmStatus.of(e));
            }
        }
        return NlmReply.of(NlmStatus.DENIED_GRACE_PERIOD);
    }

    private NlmReply testAtBackend(HostHoldings.Place place, Location file, TestArgs args) {
        try {
            HeldLock holder = service.conflictAtBackend(
                    LockedFile.of(file.fileSystem(), file.file()),
                    place.owner(),
                    args.exclusive(),
                    args.lock().range());
            return holder == null ? NlmReply.of(NlmStatus.GRANTED) : new NlmReply.Tested(NlmStatus.DENIED, holder);
        } catch (FsException e) {
            return NlmReply.of(NlmStatus.of(e));
        }
    }

    /** LOCK and NM_LOCK. */
    NlmStatus lock(NlmCaller caller, Location file, LockArgs args, boolean monitored) {
        HostHoldings.Place place = place(caller, file, args.lock());
        NlmHost host = place.owner().host();
        boolean reclaiming = isReclaiming();
        if (args.reclaim() && !mayReclaim(host)) {
            return NlmStatus.DENIED;
        }
        if (!args.reclaim() && reclaiming) {
            return NlmStatus.DENIED_GRACE_PERIOD;
        }
        try {
            if (!args.reclaim()) {
                monitor.settle();
            }
            if (monitored) {
                monitor.monitor(host, caller.local());
            }
        } catch (IOException e) {
            log.admit("cannot be monitored", host.client()).ifPresent(more -> LOG.atWarn()
                    .addKeyValue("peer", host.address().getHostAddress())
                    .log(
                            "{} gets no lock, because it cannot be remembered: {} ({} more like it)",
                            host.shown(),
                            e.getMessage(),
                            more));
            return NlmStatus.DENIED_NOLOCKS;
        }
        if (args.reclaim()) {
            return attempt(caller, file, place, args);
        }
        try (FileChanges.Change _ = fileChanges.begin(place.file())) {
            return attempt(caller, file, place, args);
        } catch (FsException e) {
            // A delegation is being recalled. Of the statuses of NLM, this one alone makes a client try again later.
            return NlmStatus.DENIED_GRACE_PERIOD;
        }
    }

    private NlmStatus attempt(NlmCaller caller, Location file, HostHoldings.Place place, LockArgs args) {
        LockedFile target = LockedFile.of(file.fileSystem(), file.file());
        Optional<OwnerTurns.Turn> turn = service.turnOf(target, place.owner(), BUSY_MILLIS);
        if (turn.isEmpty()) {
            leaveIfUnknown(place);
            return NlmStatus.DENIED_GRACE_PERIOD;
        }
        try (OwnerTurns.Turn _ = turn.get()) {
            return attempt(caller, target, place, args);
        }
    }

    private NlmStatus attempt(NlmCaller caller, LockedFile target, HostHoldings.Place place, LockArgs args) {
        for (int tries = 0; tries < MAX_DEPARTED; tries++) {
            if (args.reclaim() && !awaitReclaims(place.owner().host())) {
                leaveIfUnknown(place);
                return mayReclaim(place.owner().host()) ? NlmStatus.DENIED_GRACE_PERIOD : NlmStatus.DENIED;
            }
            LockAttempt attempt;
            try {
                attempt = attemptOnce(caller, target, place, args);
            } catch (LocksBusyException e) {
                continue;
            }
            if (args.reclaim() && attempt.outcome() == LockAttempt.Outcome.HELD_BACK) {
                continue;
            }
            Reservation reservation = attempt.reservation();
            if (reservation != null && attempt.outcome() == LockAttempt.Outcome.BUSY) {
                // The line tries a lock for the same owner.
                if (reservation.await(BUSY_MILLIS)) {
                    continue;
                }
                return NlmStatus.DENIED_GRACE_PERIOD;
            }
            if (reservation != null) {
                attempt = reservation.settle();
                settled(place, args, attempt);
            }
            HeldLock holder = attempt.holder();
            try {
                boolean again = holder != null && departed.letGo(holder.owner());
                if (!again || attempt.outcome() == LockAttempt.Outcome.WAITING) {
                    return status(attempt);
                }
            } catch (FsException e) {
                return attempt.outcome() == LockAttempt.Outcome.WAITING ? status(attempt) : NlmStatus.of(e);
            }
        }
        // Others are in the way that have gone too: the client asks again.
        return NlmStatus.DENIED_GRACE_PERIOD;
    }

    /** Forgets a client that has nothing. */
    private synchronized void leaveIfUnknown(HostHoldings.Place place) {
        if (!holdings.has(place.owner().host())) {
            monitor.idle(place.owner().host());
        }
    }

    private static NlmStatus status(LockAttempt attempt) {
        FsException failure = attempt.failure();
        return switch (attempt.outcome()) {
            case GRANTED -> NlmStatus.GRANTED;
            case DENIED, CANCELLED -> NlmStatus.DENIED;
            case WAITING -> NlmStatus.BLOCKED;
            case HELD_BACK -> NlmStatus.DENIED_GRACE_PERIOD;
            case DEADLOCK -> NlmStatus.DEADLCK;
            case NO_ROOM, RESERVED, BUSY -> NlmStatus.DENIED_NOLOCKS;
            case FAILED -> failure == null ? NlmStatus.FAILED : NlmStatus.of(failure);
        };
    }

    private synchronized LockAttempt attemptOnce(
            NlmCaller caller, LockedFile target, HostHoldings.Place place, LockArgs args) throws LocksBusyException {
        NlmLock lock = args.lock();
        ByteRange range = lock.range();
        if (!holdings.hasRoomFor(place.owner().host().client())) {
            return LockAttempt.noRoom();
        }
        LockAttempt attempt = args.block() && !args.reclaim()
                ? service.lockOrWait(
                        target,
                        place.owner(),
                        args.exclusive(),
                        range,
                        place.owner().host().client(),
                        new LockWaiter() {
                            @Override
                            public void granted() {
                                NlmLocks.this.granted(caller, place, args.exclusive(), lock);
                            }

                            @Override
                            public void dropped() {
                                NlmLocks.this.dropped(place);
                            }
                        })
                : service.lock(target, place.owner(), args.exclusive(), range, () -> isPermitted(args));
        noteAttempt(place, args, attempt);
        return attempt;
    }

    /**
     * Called under the lock of the service: a grace period of the cluster may have begun since the call was admitted.
     */
    private boolean isPermitted(LockArgs args) {
        return args.reclaim() ? ownReclaims.getAsBoolean() : !service.isHeldBack();
    }

    /**
     * Waits until no other server grants what the client may reclaim. A Linux client gives a lock up if its reclaim is
     * put off by an answer. If this server has been declared dead, it ends meanwhile, and the client asks the next one.
     *
     * @return false if the period has ended, or the time is up
     */
    private boolean awaitReclaims(NlmHost host) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RECLAIM_MILLIS);
        while (mayReclaim(host)) {
            if (ownReclaims.getAsBoolean()) {
                return true;
            }
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            try {
                Thread.sleep(RECLAIM_PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /** Notes what became of a lock at the backend. */
    private synchronized void settled(HostHoldings.Place place, LockArgs args, LockAttempt attempt) {
        noteAttempt(place, args, attempt);
        if (!attempt.isGranted()) {
            leaveIfNothing(place);
        }
    }

    private void noteAttempt(HostHoldings.Place place, LockArgs args, LockAttempt attempt) {
        switch (attempt.outcome()) {
            case GRANTED -> {
                granting.settle(place, args.lock().range());
                note(place);
            }
            case WAITING, RESERVED -> note(place);
            default -> leaveIfUnknown(place);
        }
    }

    /** A request in line has ended without a lock. */
    private synchronized void dropped(HostHoldings.Place place) {
        leaveIfNothing(place);
    }

    private void note(HostHoldings.Place place) {
        holdings.set(place, service.countOf(place.file(), place.owner()));
        // Another call of the client may have ended without a lock since this one asked that it be remembered.
        monitor.inUse(place.owner().host());
    }

    private void granted(NlmCaller caller, HostHoldings.Place place, boolean exclusive, NlmLock lock) {
        synchronized (this) {
            note(place);
        }
        Netobj cookie = Netobj.of(ByteBuffer.allocate(Long.BYTES)
                .putLong(cookies.incrementAndGet())
                .array());
        PeerCall call = new PeerCall(
                caller.address(),
                caller.local(),
                caller.udp(),
                NlmProgram.PROGRAM,
                NlmProgram.VERSION,
                NlmProgram.GRANTED,
                PeerCall.Arguments.of(new TestArgs(cookie, exclusive, lock).toBytes()));
        granting.begin(new PendingGrant(place, lock.range(), call));
    }

    /**
     * Releases a lock that was granted but that its client does not want. Does not wait for the backend: the caller is
     * a timer, or a thread that other clients' calls need.
     */
    private void release(PendingGrant grant) {
        HostHoldings.Place place = grant.place();
        List<Runnable> releases = new ArrayList<>(1);
        synchronized (this) {
            unlock(place, grant.range(), releases::add);
            leaveIfNothing(place);
        }
        releases.forEach(each -> service.backends().execute(place.fileSystem(), each));
    }

    /** CANCEL: the request is not in line any more, or was granted and is released. */
    NlmStatus cancel(NlmCaller caller, Location file, CancelArgs args) {
        HostHoldings.Place place = place(caller, file, args.lock());
        ByteRange range = args.lock().range();
        boolean[] found = new boolean[1];
        releasing(releases -> {
            found[0] = service.cancel(place.file(), place.owner(), args.exclusive(), range);
            if (!found[0] && granting.settle(place, range)) {
                unlock(place, range, releases);
                found[0] = true;
            }
            leaveIfNothing(place);
        });
        return found[0] ? NlmStatus.GRANTED : NlmStatus.DENIED;
    }

    /** UNLOCK. A request for the same range is taken out of the line. */
    NlmStatus unlock(NlmCaller caller, Location file, UnlockArgs args) {
        HostHoldings.Place place = place(caller, file, args.lock());
        ByteRange range = args.lock().range();
        releasing(releases -> {
            if (!service.cancel(place.file(), place.owner(), true, range)) {
                service.cancel(place.file(), place.owner(), false, range);
            }
            granting.settle(place, range);
            unlock(place, range, releases);
            leaveIfNothing(place);
        });
        return NlmStatus.GRANTED;
    }

    private void unlock(HostHoldings.Place place, ByteRange range, Consumer<Runnable> releases) {
        int _ = service.unlock(place.file(), place.owner(), range, releases);
    }

    /** Runs a step under the lock, and without it what backends have still to release. */
    private void releasing(Consumer<Consumer<Runnable>> step) {
        List<Runnable> releases = new ArrayList<>(1);
        synchronized (this) {
            step.accept(releases::add);
        }
        releases.forEach(Runnable::run);
    }

    private void leaveIfNothing(HostHoldings.Place place) {
        int ranges = service.countOf(place.file(), place.owner());
        if (ranges > 0 || service.isWaiting(place.file(), place.owner())) {
            holdings.set(place, ranges);
        } else if (holdings.leave(place)) {
            monitor.idle(place.owner().host());
        }
    }

    /**
     * Releases everything of the hosts at this address that fit, on file systems that do. Returns on how many files
     * there was some.
     */
    int free(InetAddress address, Predicate<NlmHost> hosts, Predicate<FileSystem> fileSystems) {
        return freeAll(() -> holdings.of(address, hosts).stream()
                .filter(place -> fileSystems.test(place.fileSystem()))
                .toList());
    }

    /** Releases everything on a file system that is no longer served. */
    void withdraw(FileSystem fileSystem) {
        freeAll(() -> holdings.of(fileSystem));
    }

    private int freeAll(Supplier<List<HostHoldings.Place>> places) {
        List<HostHoldings.Place> all = new ArrayList<>();
        releasing(releases -> {
            all.addAll(places.get());
            for (HostHoldings.Place place : all) {
                granting.settle(place, ByteRange.ALL);
                service.unlockAll(place.file(), place.owner(), releases);
                leaveIfNothing(place);
            }
        });
        return all.size();
    }

    /** The names under which clients of this address have locks. */
    synchronized List<String> namesAt(InetAddress address) {
        return holdings.namesAt(address);
    }

    /** Number of byte ranges that NLM clients have locked. */
    synchronized int count() {
        return holdings.total();
    }
}
