package org.warpnfs.nfs.v4.state.file;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.HolderQuery;
import org.warpnfs.nfs.v4.state.callback.Recaller;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Delegations of files: what conflicts with them, what their holders are asked, and how they end. {@link #grants()}
 * decides who gets one, and {@link #held()} knows which there are.
 *
 * <p>A file is identified by its {@link FileKey}, whatever the export. So a change through one export recalls
 * delegations that were granted through another.
 *
 * <p>Guarded by the lock of the state.
 */
public final class DelegationTable {
    /** Delegations of a file that one call looks at or recalls; the background thread goes on with the others. */
    static final int MAX_LOOKED_AT = 256;

    private final StateEntries states;
    private final FileStates files;
    private final Recaller recaller;
    private final DelegationRecalls recalls;
    private final Consumer<SharedFile> letGo;
    private final Consumer<SharedFile> taken;
    private final Consumer<Runnable> following;
    private final BiConsumer<Client, FileKey> left;
    private final Consumer<Runnable> later;
    /** Files whose delegations are being recalled a portion at a time. */
    private final Set<FileKey> recalling = new HashSet<>();

    private final FileChangeWindows changes = new FileChangeWindows();
    private final HeldDelegations held;
    private final DelegationGrants grants;
    private long attributesAsked;

    /**
     * @param letGo takes files of delegations that were returned or whose clients were removed; they are closed without
     *     the lock
     * @param taken takes files of delegations that were revoked or whose file is no longer served
     * @param following runs what has to be done without the lock: leases at backends end
     * @param left told of each delegation that was returned, revoked or removed
     * @param later runs what is left to do with the lock, but not in this call
     */
    public DelegationTable(
            StateLimits limits,
            long leaseNanos,
            StateEntries states,
            FileStates files,
            Recaller recaller,
            Consumer<SharedFile> letGo,
            Consumer<SharedFile> taken,
            Consumer<Runnable> following,
            BiConsumer<Client, FileKey> left,
            Consumer<Runnable> later) {
        this.later = later;
        this.following = following;
        this.left = left;
        this.letGo = letGo;
        this.taken = taken;
        this.states = states;
        this.files = files;
        this.recaller = recaller;
        this.recalls = new DelegationRecalls(leaseNanos, recaller);
        this.held = new HeldDelegations(limits, states);
        this.grants = new DelegationGrants(states, files, recaller, recalls, held, changes);
    }

    /** Which delegations there are. */
    public HeldDelegations held() {
        return held;
    }

    /** Who gets a delegation. */
    public DelegationGrants grants() {
        return grants;
    }

    /**
     * Recalls the delegations of other clients than {@code by} that conflict with what a request does. Returns one of
     * these conflicts, or null if there is none.
     *
     * @param by null for anyone who is not an NFSv4 client
     */
    @Nullable
    public Conflict conflict(long nowNanos, FileKey file, @Nullable Client by, DelegationUse use) {
        return conflict(nowNanos, file, use, delegation -> delegation.client() == by);
    }

    /**
     * The same for an OPEN. One by another open-owner of the client that holds the delegation conflicts as well: Linux
     * opens under a delegation without asking, whichever of its users opens. So the OPEN comes from another mount of
     * that client, which has a cache of its own and knows nothing of the delegation.
     */
    @Nullable
    public Conflict conflict(long nowNanos, OpenRequest request, DelegationUse use) {
        boolean fromDelegation = request.reclaim() || request.byDelegation();
        return conflict(
                nowNanos,
                request.file(),
                use,
                delegation -> delegation.client() == request.client()
                        && (fromDelegation || Objects.equals(delegation.openOwner(), request.owner())));
    }

    @Nullable
    private Conflict conflict(long nowNanos, FileKey file, DelegationUse use, Predicate<DelegationState> isOwn) {
        if (use == DelegationUse.READ) {
            return recall(nowNanos, file, List.copyOf(held.writersOf(file)), isOwn);
        }
        int rest = held.countOf(file) - MAX_LOOKED_AT;
        Conflict found = recall(nowNanos, file, held.next(file, MAX_LOOKED_AT), isOwn);
        if (rest <= 0) {
            return found;
        }
        if (recalling.add(file)) {
            later.accept(() -> recallRest(nowNanos, file, rest, isOwn));
        }
        return found == null ? new Conflict(null, null) : found;
    }

    /** Goes on with the delegations of a file, so that a client that has to ask again need not do so for each. */
    private void recallRest(long nowNanos, FileKey file, int rest, Predicate<DelegationState> isOwn) {
        var _ = recall(nowNanos, file, held.next(file, MAX_LOOKED_AT), isOwn);
        if (rest > MAX_LOOKED_AT) {
            later.accept(() -> recallRest(nowNanos, file, rest - MAX_LOOKED_AT, isOwn));
        } else {
            recalling.remove(file);
        }
    }

    @Nullable
    private Conflict recall(long nowNanos, FileKey file, List<DelegationState> some, Predicate<DelegationState> isOwn) {
        Client holder = null;
        for (DelegationState delegation : some) {
            Client client = delegation.client();
            if (client.isForgotten()) {
                // It is cleared soon. Until then nobody has to look at it again.
                held.leave(delegation);
                continue;
            }
            if (isOwn.test(delegation)) {
                continue;
            }
            if (client.isGone()) {
                // Nobody to recall it from, but it may not be given to others yet.
                holder = client;
                continue;
            }
            if (recalls.isOverdue(nowNanos, delegation)) {
                revoke(delegation);
                continue;
            }
            recalls.begin(nowNanos, delegation);
            recalls.tell(nowNanos, delegation);
            holder = client;
        }
        if (holder == null) {
            return null;
        }
        changes.rest(nowNanos, file);
        return new Conflict(holder, null);
    }

    /**
     * Somebody who is no client of this server waits for a file, or still does: recalls its delegation, or revokes it
     * if its client had {@code patienceNanos}. Returns false if it has ended.
     */
    public boolean leaseBreaks(long nowNanos, BackendLease lease, long patienceNanos) {
        DelegationState delegation = lease.delegation();
        if (delegation == null || delegation.isRevoked() || states.byNumber(delegation.number()) != delegation) {
            return false;
        }
        if (delegation.isOverdue(nowNanos, patienceNanos)) {
            revoke(delegation);
            return false;
        }
        recalls.beginNow(nowNanos, delegation);
        recalls.tell(nowNanos, delegation);
        changes.rest(nowNanos, delegation.key());
        return true;
    }

    /**
     * Asks the client with a write delegation for the file's attributes, unless it is being asked already. Returns null
     * if it cannot be asked, or has to return the delegation anyway.
     */
    @Nullable
    public HolderQuery ask(long nowNanos, DelegationState delegation) {
        if (delegation.isRecalled()) {
            return null;
        }
        HolderQuery sent = delegation.query();
        if (sent != null && !sent.isOver()) {
            return sent;
        }
        HolderQuery query = new HolderQuery();
        if (!recaller.ask(
                nowNanos,
                delegation.client(),
                new CallbackCall.GetAttr(
                        delegation.wireHandle(), delegation.hasTimes(), query, delegation.grantedTo()))) {
            return null;
        }
        delegation.setQuery(query);
        attributesAsked++;
        return query;
    }

    /** Sends the recalls that waited for a callback path to come up or for a free slot. */
    public void notifyAll(long nowNanos, Client client) {
        held.of(client).forEach(delegation -> recalls.tell(nowNanos, delegation));
    }

    /** The changes of files that exclude delegations. */
    public FileChangeWindows changes() {
        return changes;
    }

    /** DELEGRETURN; DELEG_REVOKED if it came too late. */
    public void giveBack(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        DelegationState delegation = find(client, file, stateid);
        recalls.returned(delegation);
        remove(delegation, letGo);
    }

    /** The delegation of that stateid; BAD_STATEID if the stateid is not of a delegation of that file. */
    public DelegationState find(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (states.find(client, file, stateid) instanceof DelegationState delegation) {
            return delegation;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /**
     * The attributes from when a delegation was granted whose client now sets the file's times; null if not known.
     *
     * @throws Nfs4Exception BAD_STATEID unless the stateid is of such a delegation of that file
     */
    public @Nullable FileAttributes timesOf(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        DelegationState delegation = find(client, file, stateid);
        if (!delegation.hasTimes()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        delegation.sendsTimes();
        return delegation.whenGranted();
    }

    /** FREE_STATEID; LOCKS_HELD unless the delegation was revoked. */
    void free(DelegationState delegation) throws Nfs4Exception {
        if (!delegation.isRevoked()) {
            throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
        }
        held.revoked(delegation, -1);
        held.forget(delegation);
    }

    /** Removes a delegation of a file that is no longer served, if it still exists. */
    public void withdraw(DelegationState delegation) {
        if (held.isHeld(delegation)) {
            remove(delegation, taken);
        }
    }

    /** Frees at most {@code most} delegations of a client that is gone. Returns how many it freed. */
    public int clear(Client client, int most) {
        int done = 0;
        for (Collection<DelegationState> left = held.of(client);
                done < most && !left.isEmpty();
                left = held.of(client)) {
            remove(left.iterator().next(), letGo);
            done++;
        }
        return done;
    }

    /**
     * Revokes delegations that were recalled and not returned within a lease.
     *
     * @param most how many to look at
     * @return true if there are more to look at
     */
    public boolean sweep(long nowNanos, int most) {
        recalls.overdue(nowNanos, most).forEach(this::revoke);
        changes.sweep(nowNanos);
        return recalls.isSweeping();
    }

    private void remove(DelegationState delegation, Consumer<SharedFile> closer) {
        endLease(delegation);
        leave(delegation);
        held.forget(delegation);
        files.busy().leave(delegation.key(), delegation.writer());
        delegation.releaseFiles(closer);
    }

    /**
     * Revokes a delegation. A client without sessions cannot free a revoked stateid, so its delegation is removed at
     * once.
     */
    private void revoke(DelegationState delegation) {
        recalls.revoked();
        if (delegation.client().isSessionless()) {
            remove(delegation, taken);
            return;
        }
        endLease(delegation);
        leave(delegation);
        files.busy().leave(delegation.key(), delegation.writer());
        delegation.revoke(taken);
        held.revoked(delegation, 1);
    }

    private void leave(DelegationState delegation) {
        recalls.end(delegation);
        held.leave(delegation);
        left.accept(delegation.client(), delegation.key());
    }

    private void endLease(DelegationState delegation) {
        BackendLease lease = delegation.removeLease();
        if (lease != null) {
            following.accept(lease::end);
        }
    }

    /** Releases all files when the server ends. */
    public void releaseFiles() {
        held.all().forEach(delegation -> {
            endLease(delegation);
            delegation.releaseFiles(letGo);
        });
    }

    /** The recalls that are under way. */
    public DelegationRecalls recalls() {
        return recalls;
    }

    /** What holders were asked for, without a recall. */
    public QuestionCounts questions() {
        return new QuestionCounts(attributesAsked, grants.recallAnySent());
    }
}
