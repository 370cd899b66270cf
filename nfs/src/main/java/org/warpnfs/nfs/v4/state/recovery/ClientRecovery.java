package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The recovery status of each client: whether the journal has it, and whether it has reclaimed everything it wants.
 * Guarded by the lock of the state, except methods that say otherwise.
 */
public final class ClientRecovery {
    private final RecoveryJournal journal;
    private final Grace grace;
    /** The journal's entries of clients that have state or are about to get some. */
    private final Map<Client, RecoveryJournal.Entry> noted = new HashMap<>();
    /** By its name in the journal, the client that was noted last. */
    private final Map<Opaque, Client> names = new HashMap<>();
    /** Removed clients with the entries of their removals, in the order in which these were noted. */
    private final Map<Client, RecoveryJournal.Entry> departing = new LinkedHashMap<>();
    /** Removed clients whose removals could not be written, with their names in the journal. */
    private final Map<Client, Opaque> stuck = new LinkedHashMap<>();
    /** Those of them whose entry is on stable storage. */
    private final Set<Client> recorded = ConcurrentHashMap.newKeySet();
    /** Clients that have sent RECLAIM_COMPLETE for all file systems. */
    private final Set<Client> complete = new HashSet<>();
    /** Clients that have sent RECLAIM_COMPLETE, at least for one file system. */
    private final Set<Client> begun = new HashSet<>();

    /** @param journal records which clients have state */
    public ClientRecovery(RecoveryJournal journal, Grace grace) {
        this.journal = journal;
        this.grace = grace;
    }

    /** True if the client's entry is on stable storage. Safe for any thread. */
    public boolean isRecorded(Client client) {
        return recorded.contains(client);
    }

    /** True if the client was noted in the journal, even if the entry is not written yet. */
    public boolean isNoted(Client client) {
        return noted.containsKey(client);
    }

    /** The entry that the journal must write before the client gets its first state. */
    public RecoveryJournal.Entry note(Client client) {
        RecoveryJournal.Entry entry = noted.get(client);
        if (entry == null || entry.hasFailed()) {
            Opaque name = RecordedName.of(client);
            entry = journal.note(new RecoveryLog.Change.Added(name));
            noted.put(client, entry);
            names.put(name, client);
        }
        return entry;
    }

    /** Returns once the entry is on stable storage, or throws IO. Must never be called under the lock of the state. */
    public void await(RecoveryJournal.Entry entry) throws Nfs4Exception {
        try {
            journal.await(entry);
        } catch (IOException e) {
            throw Nfs4Exception.of(Nfs4Status.IO);
        }
    }

    /** Notes that the client's entry is on stable storage. */
    public void recorded(Client client) {
        if (!client.isGone()) {
            recorded.add(client);
        }
    }

    /**
     * Notes that a client was removed. It is {@linkplain Client#isForgotten forgotten} at once if the journal does not
     * have it, else by {@link #settle} when its removal is on stable storage.
     */
    public void depart(Client client) {
        recorded.remove(client);
        complete.remove(client);
        begun.remove(client);
        if (noted.remove(client) == null) {
            client.forget();
        } else {
            Opaque name = RecordedName.of(client);
            names.remove(name, client);
            departing.put(client, journal.note(new RecoveryLog.Change.Removed(name)));
        }
    }

    /**
     * The entry that must be on stable storage before others get what a removed client had. One that could not be
     * written is noted again. Null if there is none, or none now because the client is coming back.
     */
    public RecoveryJournal.@Nullable Entry departure(Client client) {
        Opaque name = stuck.get(client);
        if (name != null) {
            departAgain(client, name);
        }
        return departing.get(client);
    }

    /** Notes the removals again that could not be written. */
    public void departAgain() {
        Map.copyOf(stuck).forEach(this::departAgain);
    }

    private void departAgain(Client client, Opaque name) {
        if (!names.containsKey(name)) {
            stuck.remove(client);
            departing.put(client, journal.note(new RecoveryLog.Change.Removed(name)));
        }
    }

    /**
     * Forgets clients whose removals are on stable storage by now.
     *
     * @return those clients
     */
    public List<Client> settle() {
        List<Client> forgotten = new ArrayList<>(1);
        // Entries are written in their order, so none is done behind one that is not.
        for (Iterator<Map.Entry<Client, RecoveryJournal.Entry>> all =
                        departing.entrySet().iterator();
                all.hasNext(); ) {
            Map.Entry<Client, RecoveryJournal.Entry> next = all.next();
            if (!next.getValue().isDone()) {
                break;
            }
            all.remove();
            if (next.getValue().hasFailed()) {
                stuck.put(next.getKey(), RecordedName.of(next.getKey()));
            } else {
                next.getKey().forget();
                forgotten.add(next.getKey());
            }
        }
        stuck.entrySet().removeIf(next -> {
            // A client that is back has the record for what it has now, and knows that it lost what it had.
            Client back = names.get(next.getValue());
            boolean isBack = back != null && recorded.contains(back);
            if (isBack) {
                next.getKey().forget();
                forgotten.add(next.getKey());
            }
            return isBack;
        });
        return forgotten;
    }

    /** RECLAIM_COMPLETE; COMPLETE_ALREADY the second time. */
    public void complete(Client client) throws Nfs4Exception {
        if (!complete.add(client)) {
            throw Nfs4Exception.of(Nfs4Status.COMPLETE_ALREADY);
        }
        begun.add(client);
        completed(client);
    }

    /**
     * RECLAIM_COMPLETE for one file system. Outside the grace period there is nothing to reclaim, so the client may get
     * new state: ESXi never sends another. The grace period still waits for it, since other file systems may follow.
     */
    public void completeOne(Client client) {
        begun.add(client);
    }

    /** The grace period no longer waits for the client. */
    public void completed(Client client) {
        if (!grace.isOver()) {
            RecordedName.before(client).forEach(grace::complete);
        }
    }

    /** True if it had state before the restart, and was who it is now. */
    private boolean mayReclaim(Client client) {
        return RecordedName.before(client).stream().anyMatch(grace::mayReclaim);
    }

    /** Throws GRACE, NO_GRACE, RECLAIM_BAD or DELAY if the client must not get state now, or must not reclaim it. */
    public void require(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        if (!reclaim) {
            // An NFSv4.0 client does not say when it has reclaimed everything.
            if (grace.isRunning(nowNanos) || (!begun.contains(client) && !client.isSessionless())) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            return;
        }
        if (!grace.isRecovering(nowNanos) || complete.contains(client)) {
            throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
        }
        if (!mayReclaim(client)) {
            throw Nfs4Exception.of(Nfs4Status.RECLAIM_BAD);
        }
        if (!grace.mayReclaimNow(nowNanos)) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        grace.prolong(nowNanos);
    }
}
