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
 * The recovery status of each client: whether the journal has it, and whether it has reclaimed everything it wants.
 * Guarded by the lock of the state, except methods that say otherwise.
 */
public final class ClientRecovery {
    private final RecoveryJournal journal;
    private final Grace grace;
    /** The journal's entries of clients that have state or are about to get some. */
    private final Map<Client, RecoveryJournal.Entry> noted = new HashMap<>();
    /** Those of them whose entry is on stable storage. */
    private final Set<Client> recorded = ConcurrentHashMap.newKeySet();
    /** Clients that have sent RECLAIM_COMPLETE. */
    private final Set<Client> complete = new HashSet<>();

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
            entry = journal.note(new RecoveryLog.Change.Added(RecordedName.of(client)));
            noted.put(client, entry);
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
     * Removes the client from the journal, when it is being removed or already is.
     *
     * @return the entry of the removal, if the journal had the client and no removal was noted before
     */
    public RecoveryJournal.@Nullable Entry depart(Client client) {
        recorded.remove(client);
        complete.remove(client);
        return noted.remove(client) == null
                ? null
                : journal.note(new RecoveryLog.Change.Removed(RecordedName.of(client)));
    }

    /** RECLAIM_COMPLETE; COMPLETE_ALREADY the second time. */
    public void complete(Client client) throws Nfs4Exception {
        if (!complete.add(client)) {
            throw Nfs4Exception.of(Nfs4Status.COMPLETE_ALREADY);
        }
        completed(client);
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
            if (grace.isRunning(nowNanos) || (!complete.contains(client) && !client.isSessionless())) {
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
