package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
 * <p>Safe for any thread. {@link #monitor} waits for a disk; calls for one client wait for each other, and those for
 * others do not.
 */
final class StatusMonitor implements HostMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(StatusMonitor.class);
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** Pauses between attempts to tell a client. */
    private static final long[] PAUSES_SECONDS = {2, 4, 8, 15, 30, 60, 120, 240, 480, 900, 1800};

    private final NsmRecords records;
    private final PeerCalls calls;
    private final int most;
    private final Set<NlmHost> reclaimers;
    private final Map<NlmHost, Entry> entries = new HashMap<>();
    private final Map<ClientAddress, Integer> byClient = new HashMap<>();

    /** Guards the writing of the end of the time to reclaim; false until it is written. */
    private final Object settling = new Object();

    private volatile boolean settled;

    private static final class Entry {
        private boolean durable;
        /** True if it has been told of the restart, or need not be. */
        private boolean told;
        /** True while the client has no lock and waits for none. */
        private boolean idle = true;

        private long idleSinceNanos = System.nanoTime();
        /** True while a timer runs that will look whether it is still idle. */
        private boolean timed;

        private boolean forgotten;
    }

    /** @param most limit of clients */
    StatusMonitor(NsmRecords records, PeerCalls calls, int most) throws IOException {
        this(records, calls, most, true);
    }

    /**
     * @param most limit of clients
     * @param forgiving false if clients of the last instance may not reclaim. They are told of the restart all the
     *     same, and learn that they have lost their locks
     * @throws IOException if that cannot be written
     */
    StatusMonitor(NsmRecords records, PeerCalls calls, int most, boolean forgiving) throws IOException {
        this.records = records;
        this.calls = calls;
        this.most = most;
        this.reclaimers = !forgiving
                ? Set.of()
                : records.before().stream()
                        .filter(records::mayReclaim)
                        .map(NsmRecords.Monitored::host)
                        .collect(Collectors.toUnmodifiableSet());
        for (NsmRecords.Monitored host : records.before()) {
            // Its record is of an earlier instance, and is written anew with its first lock.
            entries.put(host.host(), new Entry());
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
        records.before().forEach(host -> attempt(host, 0));
    }

    private void attempt(NsmRecords.Monitored host, int before) {
        InetAddress local = host.local();
        String name = local == null ? ownName() : local.getHostAddress();
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
                calls.after(TimeUnit.SECONDS.toNanos(PAUSES_SECONDS[before]), () -> attempt(host, before + 1));
            } else {
                LOG.warn("NSM: {} was not told of the restart: {}", host.host().shown(), failure.getMessage());
                told(host.host());
            }
        });
    }

    /** The name that the host itself uses, if the client's idea of this server is not known. */
    private static String ownName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (IOException e) {
            return "localhost";
        }
    }

    private void told(NlmHost host) {
        Entry entry = entryIfAny(host);
        if (entry != null) {
            synchronized (entry) {
                entry.told = true;
                if (entry.idle) {
                    lookAgain(host, entry, IDLE_NANOS);
                }
            }
        }
    }

    private synchronized @Nullable Entry entryIfAny(NlmHost host) {
        return entries.get(host);
    }

    private synchronized Entry entryOf(NlmHost host) throws IOException {
        Entry entry = entries.get(host);
        if (entry == null) {
            int had = byClient.getOrDefault(host.client(), 0);
            if (!FairShare.allows(had, 1, most - entries.size())) {
                throw new IOException("it has used up its share of " + most + " monitored clients");
            }
            entry = new Entry();
            entry.told = true;
            entries.put(host, entry);
            byClient.put(host.client(), had + 1);
        }
        return entry;
    }

    @Override
    public void monitor(NlmHost host, @Nullable InetAddress local) throws IOException {
        while (true) {
            Entry entry = entryOf(host);
            synchronized (entry) {
                if (entry.forgotten) {
                    continue;
                }
                entry.idle = false;
                if (!entry.durable) {
                    records.add(host, local);
                    entry.durable = true;
                }
                return;
            }
        }
    }

    @Override
    public boolean mayReclaim(NlmHost host) {
        return reclaimers.contains(host);
    }

    @Override
    public void idle(NlmHost host) {
        Entry entry = entryIfAny(host);
        if (entry == null) {
            return;
        }
        synchronized (entry) {
            entry.idle = true;
            entry.idleSinceNanos = System.nanoTime();
            lookAgain(host, entry, IDLE_NANOS);
        }
    }

    /** Must be called with the entry's lock. */
    private void lookAgain(NlmHost host, Entry entry, long afterNanos) {
        if (!entry.timed) {
            entry.timed = true;
            calls.after(afterNanos, () -> forgetIfIdle(host, entry));
        }
    }

    private void forgetIfIdle(NlmHost host, Entry entry) {
        synchronized (entry) {
            entry.timed = false;
            if (!entry.idle || !entry.told || entry.forgotten) {
                return;
            }
            long leftNanos = IDLE_NANOS - (System.nanoTime() - entry.idleSinceNanos);
            if (leftNanos > 0) {
                lookAgain(host, entry, leftNanos);
                return;
            }
            entry.forgotten = true;
            try {
                records.remove(host);
            } catch (IOException e) {
                LOG.warn("NSM: the record of {} cannot be removed: {}", host.shown(), e.getMessage());
            }
            synchronized (this) {
                entries.remove(host, entry);
                byClient.computeIfPresent(host.client(), (_, had) -> had == 1 ? null : had - 1);
            }
        }
    }

    /** Number of monitored clients. */
    synchronized int count() {
        return entries.size();
    }
}
