package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * The monitored clients: NSM's part on the server (X/Open XNFS, chapter 11).
 *
 * <h2>Operation</h2>
 *
 * A client is on stable storage before it gets its first lock, and for ten minutes at least after its last. After a
 * restart each client that was there is told by SM_NOTIFY, from the address that it knows, until it answers or an hour
 * has passed; then its locks can only be those that it has reclaimed. It may reclaim if it got its locks in the last
 * instance, or reclaimed them there, or if that instance ended before the time to reclaim was over.
 *
 * <p>Safe for any thread. {@link #monitor} and {@link #settle} wait for a disk, without a lock: only calls that need
 * the same record, or that the time to reclaim is over, wait with them. Records are removed by one task at a time on a
 * thread for that, so a timer never waits.
 */
final class StatusMonitor implements HostMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(StatusMonitor.class);
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** Pauses between attempts to tell a client. */
    private static final long[] PAUSES_SECONDS = {2, 4, 8, 15, 30, 60, 120, 240, 480, 900, 1800};

    private final NsmRecords records;
    private final PeerCalls calls;
    private final int most;
    private final LongSupplier clockNanos;
    private final Set<NlmHost> reclaimers;

    // Guarded by this, like the entries. No I/O happens under this lock.
    private final Map<NlmHost, Entry> entries = new HashMap<>();
    private final Map<ClientAddress, Integer> byClient = new HashMap<>();
    private final Deque<NlmHost> toForget = new ArrayDeque<>();
    private boolean forgetting;

    /** Guards the writing of the end of the time to reclaim; false until it is written. */
    private final Object settling = new Object();

    private volatile boolean settled;

    private static final class Entry {
        private boolean durable;
        /** True if it has been told of the restart, or need not be. */
        private boolean told;
        /** True while the client has no lock and waits for none. */
        private boolean idle = true;

        private long idleSinceNanos;
        /** True while a timer runs that will look whether it is still idle, or its removal is due. */
        private boolean timed;

        /** While its record is being written or removed; whoever needs the record waits for that. */
        private @Nullable CompletableFuture<Void> changing;

        Entry(long nowNanos) {
            idleSinceNanos = nowNanos;
        }
    }

    /**
     * @param most limit of clients
     * @param forgiving false if clients of the last instance may not reclaim. They are told of the restart all the
     *     same, and learn that they have lost their locks
     * @throws IOException if that cannot be written
     */
    StatusMonitor(NsmRecords records, PeerCalls calls, int most, boolean forgiving, LongSupplier clockNanos)
            throws IOException {
        this.records = records;
        this.calls = calls;
        this.most = most;
        this.clockNanos = clockNanos;
        this.reclaimers = !forgiving
                ? Set.of()
                : records.before().stream()
                        .filter(records::mayReclaim)
                        .map(NsmRecords.Monitored::host)
                        .collect(Collectors.toUnmodifiableSet());
        for (NsmRecords.Monitored host : records.before()) {
            // Its record is of an earlier instance, and is written anew with its first lock.
            entries.put(host.host(), new Entry(clockNanos.getAsLong()));
            byClient.merge(host.host().client(), 1, Integer::sum);
        }
        if (reclaimers.isEmpty()) {
            settle();
        }
    }

    @Override
    public void settle() throws IOException {
        if (settled) {
            return;
        }
        synchronized (settling) {
            if (!settled) {
                if (!records.before().isEmpty()) {
                    records.settle();
                }
                settled = true;
            }
        }
    }

    /** The server's state number. */
    int state() {
        return records.state();
    }

    /** True if clients had locks when the server ended. */
    boolean hasReclaimers() {
        return !reclaimers.isEmpty();
    }

    /** Begins to tell the clients of the last instance. Returns at once. */
    void notifyClients() {
        if (!records.before().isEmpty()) {
            LOG.info(
                    "NSM: {} client(s) had locks by NLM and are told of the restart",
                    records.before().size());
        }
        calls.execute(() -> {
            boolean isNameNeeded = records.before().stream().anyMatch(host -> host.local() == null);
            String ownName = isNameNeeded ? ownName() : "";
            records.before().forEach(host -> attempt(host, ownName, 0));
        });
    }

    /** @param ownName this server's name for a client whose idea of it is not known */
    private void attempt(NsmRecords.Monitored host, String ownName, int before) {
        InetAddress local = host.local();
        String name = local == null ? ownName : local.getHostAddress();
        PeerCall call = new PeerCall(
                host.host().address(),
                local,
                false,
                NsmProgram.PROGRAM,
                NsmProgram.VERSION,
                NsmProgram.SM_NOTIFY,
                PeerCall.Arguments.of(new StateArgs(name, records.state()).toBytes()));
        var _ = calls.call(call).whenComplete((_, failure) -> {
            if (failure == null) {
                told(host.host());
            } else if (before < PAUSES_SECONDS.length) {
                calls.after(TimeUnit.SECONDS.toNanos(PAUSES_SECONDS[before]), () -> attempt(host, ownName, before + 1));
            } else {
                LOG.warn("NSM: {} was not told of the restart: {}", host.host().shown(), failure.getMessage());
                told(host.host());
            }
        });
    }

    /** The name that the host itself uses. May ask a name service. */
    private static String ownName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return "localhost";
        }
    }

    private synchronized void told(NlmHost host) {
        Entry entry = entries.get(host);
        if (entry != null) {
            entry.told = true;
            if (entry.idle) {
                lookAgain(host, entry, IDLE_NANOS);
            }
        }
    }

    /** Must be called with the lock. */
    private Entry entryOf(NlmHost host) throws IOException {
        Entry entry = entries.get(host);
        if (entry == null) {
            int had = byClient.getOrDefault(host.client(), 0);
            if (!FairShare.allows(had, 1, most - entries.size())) {
                throw new IOException("it has used up its share of " + most + " monitored clients");
            }
            entry = new Entry(clockNanos.getAsLong());
            entry.told = true;
            entries.put(host, entry);
            byClient.put(host.client(), had + 1);
        }
        return entry;
    }

    @Override
    public void monitor(NlmHost host, @Nullable InetAddress local) throws IOException {
        while (true) {
            CompletableFuture<Void> change;
            synchronized (this) {
                Entry entry = entryOf(host);
                entry.idle = false;
                if (entry.changing == null && entry.durable) {
                    return;
                }
                change = entry.changing;
                if (change == null) {
                    entry.changing = new CompletableFuture<>();
                }
            }
            if (change == null) {
                remember(host, local);
                return;
            }
            // Ends in any case, and says nothing about how: then it is tried again.
            change.join();
        }
    }

    /** Writes the record of an entry that this thread has marked as changing. */
    private void remember(NlmHost host, @Nullable InetAddress local) throws IOException {
        boolean durable = false;
        try {
            records.add(host, local);
            durable = true;
        } finally {
            changed(host, durable);
        }
    }

    private void changed(NlmHost host, boolean durable) {
        CompletableFuture<Void> change;
        synchronized (this) {
            Entry entry = Objects.requireNonNull(entries.get(host));
            entry.durable = durable;
            if (!durable) {
                // It gets no lock.
                idle(host, entry);
            }
            change = Objects.requireNonNull(entry.changing);
            entry.changing = null;
        }
        change.complete(null);
    }

    @Override
    public boolean mayReclaim(NlmHost host) {
        return reclaimers.contains(host);
    }

    @Override
    public synchronized void idle(NlmHost host) {
        Entry entry = entries.get(host);
        if (entry != null) {
            idle(host, entry);
        }
    }

    /** Must be called with the lock. */
    private void idle(NlmHost host, Entry entry) {
        entry.idle = true;
        entry.idleSinceNanos = clockNanos.getAsLong();
        lookAgain(host, entry, IDLE_NANOS);
    }

    @Override
    public synchronized void inUse(NlmHost host) {
        Entry entry = entries.get(host);
        if (entry != null) {
            entry.idle = false;
        }
    }

    /** Must be called with the lock. */
    private void lookAgain(NlmHost host, Entry entry, long afterNanos) {
        if (!entry.timed) {
            entry.timed = true;
            calls.after(afterNanos, () -> forgetLater(host));
        }
    }

    /** Called by a timer. */
    private void forgetLater(NlmHost host) {
        synchronized (this) {
            toForget.add(host);
            if (forgetting) {
                return;
            }
            forgetting = true;
        }
        calls.execute(this::forgetAll);
    }

    /** Removes the records of those who are still idle, one after the other. */
    private void forgetAll() {
        for (NlmHost host = nextToForget(); host != null; host = nextToForget()) {
            try {
                records.remove(host);
            } catch (IOException e) {
                LOG.warn("NSM: the record of {} cannot be removed: {}", host.shown(), e.getMessage());
            } finally {
                forgotten(host);
            }
        }
    }

    /** Returns a client whose record is to be removed, and marks it as changing; null if there is none. */
    private synchronized @Nullable NlmHost nextToForget() {
        for (NlmHost host = toForget.poll(); host != null; host = toForget.poll()) {
            Entry entry = entries.get(host);
            if (entry == null) {
                continue;
            }
            entry.timed = false;
            if (!entry.idle || !entry.told) {
                continue;
            }
            long leftNanos =
                    entry.changing != null ? IDLE_NANOS : IDLE_NANOS - (clockNanos.getAsLong() - entry.idleSinceNanos);
            if (leftNanos > 0) {
                lookAgain(host, entry, leftNanos);
                continue;
            }
            entry.changing = new CompletableFuture<>();
            return host;
        }
        forgetting = false;
        return null;
    }

    private void forgotten(NlmHost host) {
        CompletableFuture<Void> change;
        synchronized (this) {
            change = Objects.requireNonNull(Objects.requireNonNull(entries.remove(host)).changing);
            byClient.computeIfPresent(host.client(), (_, had) -> had == 1 ? null : had - 1);
        }
        change.complete(null);
    }

    /** Number of monitored clients. */
    synchronized int count() {
        return entries.size();
    }
}
