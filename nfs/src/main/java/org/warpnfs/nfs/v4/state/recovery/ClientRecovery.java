package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
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
    /** An entry that says that a client has come, with the client's name in the journal. */
    private record Noted(Opaque name, RecoveryJournal.Entry entry) {}

    /** A removed client that is not forgotten yet. */
    private static final class Departure {
        final Client client;
        final Noted noted;
        /** Of its removal: the last one that was noted. */
        RecoveryJournal.Entry entry;

        Departure(Client client, Noted noted, RecoveryJournal.Entry entry) {
            this.client = client;
            this.noted = noted;
            this.entry = entry;
        }
    }

    private final RecoveryJournal journal;
    private final Grace grace;
    /** The journal's entries of clients that have state or are about to get some. */
    private final Map<Client, Noted> noted = new HashMap<>();
    /** By its name in the journal, the client that was noted last. */
    private final Map<Opaque, Client> names = new HashMap<>();
    /** All removed clients that are not forgotten yet. */
    private final Map<Client, Departure> departures = new HashMap<>();
    /** Those whose removals are to be written, in the order in which these were noted. */
    private final Queue<Departure> departing = new ArrayDeque<>();
    /** Those whose removals could not be written, by name. At most one has a record of that name. */
    private final Map<Opaque, Departure> stuck = new LinkedHashMap<>();

    private final List<Client> forgotten = new ArrayList<>(1);
    /** Clients whose entry is on stable storage. */
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

    /** The client's name in the journal. Computed without the lock, since it is a long hash. */
    public static Opaque nameOf(Client client) {
        return RecordedName.of(client);
    }

    /**
     * The entry that the journal must write before the client gets its first state.
     *
     * @param name the client's {@link #nameOf}
     */
    public RecoveryJournal.Entry note(Client client, Opaque name) {
        Noted last = noted.get(client);
        if (last != null && !last.entry.hasFailed()) {
            return last.entry;
        }
        RecoveryJournal.Entry entry = journal.note(new RecoveryLog.Change.Added(name));
        noted.put(client, new Noted(name, entry));
        names.put(name, client);
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
        Noted mine = noted.get(client);
        if (mine != null) {
            recorded.add(client);
            forgetEarlier(mine.name);
        }
    }

    /**
     * Notes that a client was removed. It is {@linkplain Client#isForgotten forgotten} at once if the journal does not
     * have it, else by {@link #settle} when its removal is on stable storage.
     *
     * @return true if its removal is to be written
     */
    public boolean depart(Client client) {
        recorded.remove(client);
        complete.remove(client);
        begun.remove(client);
        Noted mine = noted.remove(client);
        if (mine == null) {
            client.forget();
            return false;
        }
        names.remove(mine.name, client);
        if (mine.entry.hasFailed()) {
            // So it never got anything.
            client.forget();
            return false;
        }
        Departure departure = new Departure(client, mine, removal(mine.name));
        departures.put(client, departure);
        departing.add(departure);
        return true;
    }

    private RecoveryJournal.Entry removal(Opaque name) {
        return journal.note(new RecoveryLog.Change.Removed(name));
    }

    /**
     * The entry that must be on stable storage before others get what a removed client had. One that could not be
     * written is noted again. Null if there is none, or none now because the client is coming back.
     */
    public RecoveryJournal.@Nullable Entry departure(Client client) {
        Departure departure = departures.get(client);
        if (departure == null) {
            return null;
        }
        if (stuck.get(departure.noted.name) != departure) {
            return departure.entry;
        }
        return departAgain(departure) ? departure.entry : null;
    }

    /**
     * Notes removals again that could not be written.
     *
     * @param most how many, at most
     * @return true if some were noted
     */
    public boolean departAgain(int most) {
        boolean any = false;
        for (Departure departure : stuck.values().stream().limit(most).toList()) {
            any |= departAgain(departure);
        }
        return any;
    }

    private boolean departAgain(Departure departure) {
        Opaque name = departure.noted.name;
        stuck.remove(name);
        Client back = names.get(name);
        Noted its = back == null ? null : noted.get(back);
        if (its != null && !its.entry.hasFailed()) {
            // It waits for the entry of the client that is back.
            stuck.put(name, departure);
            return false;
        }
        departure.entry = removal(name);
        departing.add(departure);
        return true;
    }

    /**
     * Forgets clients whose removals are on stable storage by now.
     *
     * @param most how many entries to look at; {@link #isMoreSettled} says whether there are more
     * @return those clients
     */
    public List<Client> settle(int most) {
        // Entries are written in their order, so none is done behind one that is not.
        for (int left = most; left > 0 && isMoreSettled(); left--) {
            settle(departing.remove());
        }
        List<Client> all = List.copyOf(forgotten);
        forgotten.clear();
        return all;
    }

    private void settle(Departure departure) {
        boolean hadRecord = !departure.noted.entry.hasFailed();
        boolean isRemoved = !departure.entry.hasFailed();
        if (hadRecord || isRemoved) {
            forgetEarlier(departure.noted.name);
        }
        Client back = names.get(departure.noted.name);
        // The record of a client that is back was written behind this entry, and is for what that client has.
        boolean isReplaced = back != null && recorded.contains(back);
        if (!hadRecord || isRemoved || isReplaced) {
            forget(departure);
        } else {
            stuck.put(departure.noted.name, departure);
        }
    }

    /** True if entries of removals are written, or could not be, that {@link #settle} has not looked at. */
    public boolean isMoreSettled() {
        Departure next = departing.peek();
        return next != null && next.entry.isDone();
    }

    /**
     * What an earlier client of that name had, which could not be removed from the journal, cannot be reclaimed any
     * more: the record is gone, or is that of a later client for what it has.
     */
    private void forgetEarlier(Opaque name) {
        Departure earlier = stuck.remove(name);
        if (earlier != null) {
            forget(earlier);
        }
    }

    private void forget(Departure departure) {
        departures.remove(departure.client);
        departure.client.forget();
        forgotten.add(departure.client);
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
