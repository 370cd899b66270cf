package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * What recovery knows of each client: whether the journal knows it, and whether it has reclaimed what it wants. Guarded
 * by the lock of the state, but for what says otherwise.
 */
public final class ClientRecovery {
    private final RecoveryJournal journal;
    private final Grace grace;
    /** The journal's entries that clients may hold state; of those that are about to have some. */
    private final Map<Client, RecoveryJournal.Entry> noted = new HashMap<>();
    /** Of those, whose entry is on stable storage. */
    private final Set<Client> recorded = ConcurrentHashMap.newKeySet();
    /** Those that sent RECLAIM_COMPLETE. */
    private final Set<Client> complete = new HashSet<>();

    /** @param journal is told which clients hold state */
    public ClientRecovery(RecoveryJournal journal, Grace grace) {
        this.journal = journal;
        this.grace = grace;
    }

    /** True once the journal has the client on stable storage. Safe for any thread. */
    public boolean isRecorded(Client client) {
        return recorded.contains(client);
    }

    /** True if the journal has been told of the client, written or not. */
    public boolean isNoted(Client client) {
        return noted.containsKey(client);
    }

    /** The entry that the journal must write before the client is given its first state. */
    public RecoveryJournal.Entry note(Client client) {
        RecoveryJournal.Entry entry = noted.get(client);
        if (entry == null || entry.hasFailed()) {
            entry = journal.note(new RecoveryLog.Change.Added(client.owner()));
            noted.put(client, entry);
        }
        return entry;
    }

    /** Returns once the entry is on stable storage, or throws IO. Never under the lock of the state. */
    public void await(RecoveryJournal.Entry entry) throws Nfs4Exception {
        try {
            journal.await(entry);
        } catch (IOException e) {
            throw Nfs4Exception.of(Nfs4Status.IO);
        }
    }

    /** The entry of the client is on stable storage. */
    public void recorded(Client client) {
        if (!client.isGone()) {
            recorded.add(client);
        }
    }

    /**
     * The client is about to go, or is gone: the journal forgets it.
     *
     * @return the entry that says so, if the journal knew the client and has not been told yet
     */
    public RecoveryJournal.@Nullable Entry depart(Client client) {
        recorded.remove(client);
        complete.remove(client);
        return noted.remove(client) == null ? null : journal.note(new RecoveryLog.Change.Removed(client.owner()));
    }

    /** RECLAIM_COMPLETE: COMPLETE_ALREADY the second time. */
    public void complete(Client client) throws Nfs4Exception {
        if (!complete.add(client)) {
            throw Nfs4Exception.of(Nfs4Status.COMPLETE_ALREADY);
        }
        grace.complete(client.owner());
    }

    /** GRACE, NO_GRACE or RECLAIM_BAD if the client may not have state now, or not reclaim it. */
    public void require(long nowNanos, Client client, boolean reclaim) throws Nfs4Exception {
        boolean running = grace.isRunning(nowNanos);
        if (!reclaim) {
            // Of NFSv4.0 nobody says when he has reclaimed all.
            if (running || (!complete.contains(client) && !client.isSessionless())) {
                throw Nfs4Exception.of(Nfs4Status.GRACE);
            }
            return;
        }
        if (!running || complete.contains(client)) {
            throw Nfs4Exception.of(Nfs4Status.NO_GRACE);
        }
        if (!grace.mayReclaim(client.owner())) {
            throw Nfs4Exception.of(Nfs4Status.RECLAIM_BAD);
        }
        grace.prolong(nowNanos);
    }
}
