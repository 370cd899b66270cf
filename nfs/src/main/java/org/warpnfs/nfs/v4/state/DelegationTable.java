package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Delegations by file, and the changes that must not happen beside them.
 *
 * <p>A file is known by its backend handle whatever the export it is reached through, so that a change through one export recalls
 * what was delegated through another. Backends that give one handle to two files would have one recalled for the other's sake.
 *
 * <p>Guarded by the lock of {@link StateTable}.
 */
final class DelegationTable {
    /** A recall that the client could not make sense of yet is repeated, for as long as someone waits for it. */
    private static final long RECALL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Whoever waited for a recall gets its turn before the file is delegated again. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int MAX_RESTING = 1024;

    private final long leaseNanos;
    private final StateEntries states;
    private final FileStates files;
    private final Consumer<SharedFile> letGo;
    private final Consumer<SharedFile> taken;
    private final Shares shares;
    /** Those that were not revoked; a client has one of a file at most. */
    private final Map<FileHandle, Map<Client, DelegationState>> byFile = new HashMap<>();
    /** Those that were recalled, the longest ago first: what may have to be revoked. */
    private final Set<DelegationState> recalled = new LinkedHashSet<>();

    private long recallsSent;
    private long recallsFailed;
    private long recallsReturned;
    private long recallsRevoked;

    private final Map<FileHandle, Integer> changesUnderWay = new HashMap<>();
    private final LinkedHashMap<FileHandle, Long> restingUntil = new LinkedHashMap<>();

    /**
     * @param letGo takes files whose client has given them back; they are closed without the lock
     * @param taken the same for those whose client has not
     */
    DelegationTable(
            StateLimits limits,
            long leaseNanos,
            StateEntries states,
            FileStates files,
            Consumer<SharedFile> letGo,
            Consumer<SharedFile> taken) {
        this.letGo = letGo;
        this.taken = taken;
        this.shares = new Shares(limits.maxDelegations());
        this.leaseNanos = leaseNanos;
        this.states = states;
        this.files = files;
    }

    /** What an open gets, which has succeeded. */
    DelegationGrant grant(long nowNanos, OpenRequest request, DelegationWish wish, @Nullable SharedFile reader) {
        Client client = request.client();
        return switch (wish.kind()) {
            case SETTLED, UNWANTED -> none(DelegationGrant.Why.NOT_WANTED);
            case CANCEL -> none(DelegationGrant.Why.CANCELLED);
            case WRITE -> none(DelegationGrant.Why.WRITE_NOT_SUPPORTED);
            case OPEN_TO_READ -> {
                if ((request.access() & OpenRequest.WRITE) != 0) {
                    yield none(DelegationGrant.Why.WRITE_NOT_SUPPORTED);
                }
                if (isContended(request.file().handle(), nowNanos)) {
                    yield none(DelegationGrant.Why.CONTENTION);
                }
                if (reader == null
                        || !client.hasCallbackPath()
                        || holds(client, request.file().handle())
                        || !hasRoomFor(client)) {
                    yield none(DelegationGrant.Why.RESOURCE);
                }
                yield new DelegationGrant.Read(add(request, wish, reader).stateid(), false);
            }
            case RECLAIM -> {
                if (reader == null || holds(client, request.file().handle()) || !hasRoomFor(client)) {
                    yield none(DelegationGrant.Why.RESOURCE);
                }
                DelegationState delegation = add(request, wish, reader);
                boolean unwanted = !client.hasCallbackPath()
                        || files.hasWriter(request.file().handle());
                if (unwanted) {
                    recall(nowNanos, delegation);
                    delegation.acknowledge();
                }
                yield new DelegationGrant.Read(delegation.stateid(), unwanted);
            }
        };
    }

    private boolean hasRoomFor(Client client) {
        if (shares.hasRoomFor(client.address(), 1)) {
            return true;
        }
        shares.refuse();
        return false;
    }

    private boolean holds(Client client, FileHandle file) {
        return byFile.getOrDefault(file, Map.of()).containsKey(client);
    }

    private static DelegationGrant none(DelegationGrant.Why why) {
        return new DelegationGrant.None(why);
    }

    private boolean isContended(FileHandle file, long nowNanos) {
        Long until = restingUntil.get(file);
        if (until != null && nowNanos - until < 0) {
            return true;
        }
        restingUntil.remove(file);
        return files.hasWriter(file) || changesUnderWay.containsKey(file);
    }

    private DelegationState add(OpenRequest request, DelegationWish wish, SharedFile reader) {
        DelegationState delegation = new DelegationState(
                request.client(),
                request.file(),
                states.firstStateid(states.nextNumber()),
                wish.wireHandle(),
                reader.hold());
        states.enter(delegation);
        request.client().delegations.put(delegation.number(), delegation);
        byFile.computeIfAbsent(request.file().handle(), _ -> new LinkedHashMap<>(2))
                .put(request.client(), delegation);
        shares.take(request.client().address(), 1);
        return delegation;
    }

    /**
     * A client other than {@code by} that has the file delegated and must give it back first; its recall is on its way.
     *
     * @param by null for one who is no NFSv4 client
     */
    @Nullable
    Conflict conflict(long nowNanos, FileHandle file, @Nullable Client by) {
        Client holder = null;
        for (DelegationState delegation :
                List.copyOf(byFile.getOrDefault(file, Map.of()).values())) {
            if (delegation.client() == by || delegation.client().gone) {
                continue;
            }
            if (delegation.isOverdue(nowNanos, leaseNanos)) {
                revoke(delegation);
                continue;
            }
            recall(nowNanos, delegation);
            notify(nowNanos, delegation);
            holder = delegation.client();
        }
        if (holder == null) {
            return null;
        }
        rest(file, nowNanos);
        return new Conflict(holder, null);
    }

    private void recall(long nowNanos, DelegationState delegation) {
        delegation.recall(nowNanos);
        recalled.add(delegation);
    }

    private void rest(FileHandle file, long nowNanos) {
        restingUntil.putLast(file, nowNanos + REST_NANOS);
        if (restingUntil.size() > MAX_RESTING) {
            restingUntil.pollFirstEntry();
        }
    }

    private void notify(long nowNanos, DelegationState delegation) {
        if (delegation.isRecallDue(nowNanos, RECALL_PAUSE_NANOS)
                && delegation.client().recall(nowNanos, delegation)) {
            recallsSent++;
        }
    }

    /** A way to the client has opened, or a slot is free: what waited for that goes. */
    void notifyAll(long nowNanos, Client client) {
        client.delegations.values().forEach(delegation -> notify(nowNanos, delegation));
    }

    /** Nobody may be given the file from here on until {@link #endChange}. */
    void beginChange(FileHandle file) {
        changesUnderWay.merge(file, 1, Integer::sum);
    }

    void endChange(FileHandle file) {
        changesUnderWay.computeIfPresent(file, (_, changes) -> changes == 1 ? null : changes - 1);
    }

    /** DELEGRETURN: DELEG_REVOKED if it came too late. */
    void giveBack(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        DelegationState delegation = find(client, file, stateid);
        recallsReturned += delegation.isRecalled() ? 1 : 0;
        remove(delegation, letGo);
    }

    /** BAD_STATEID if the stateid is not of a delegation of that file. */
    DelegationState find(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (states.find(client, file, stateid) instanceof DelegationState delegation) {
            return delegation;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** FREE_STATEID: LOCKS_HELD unless it was revoked. */
    void free(DelegationState delegation) throws Nfs4Exception {
        if (!delegation.isRevoked()) {
            throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
        }
        delegation.client().revokedDelegations--;
        forget(delegation);
    }

    private void remove(DelegationState delegation, Consumer<SharedFile> closer) {
        leave(delegation);
        forget(delegation);
        delegation.releaseFile(closer);
    }

    /** Without a session the client has no way to free what was revoked: it is gone at once. */
    private void revoke(DelegationState delegation) {
        recallsRevoked++;
        if (delegation.client().isSessionless()) {
            remove(delegation, taken);
            return;
        }
        leave(delegation);
        delegation.revoke(taken);
        delegation.client().revokedDelegations++;
    }

    private void leave(DelegationState delegation) {
        FileHandle file = delegation.key().handle();
        recalled.remove(delegation);
        byFile.computeIfPresent(file, (_, held) -> {
            held.remove(delegation.client(), delegation);
            return held.isEmpty() ? null : held;
        });
    }

    private void forget(DelegationState delegation) {
        states.leave(delegation);
        Client client = delegation.client();
        client.delegations.remove(delegation.number());
        if (!client.gone) {
            shares.giveBack(client.address(), 1);
        }
    }

    /** The delegations of files of a file system. */
    List<DelegationState> of(FileSystem fileSystem) {
        return byFile.values().stream()
                .flatMap(held -> held.values().stream())
                .filter(delegation -> delegation.isOf(fileSystem))
                .toList();
    }

    /** Takes down a delegation of a file that is not served any more, if it is still there. */
    void withdraw(DelegationState delegation) {
        if (byFile.getOrDefault(delegation.key().handle(), Map.of()).containsValue(delegation)) {
            remove(delegation, taken);
        }
    }

    /** A client is gone: its delegations count for nothing from now on. */
    void depart(Client client) {
        shares.giveBack(client.address(), client.delegations.size());
        client.revokedDelegations = 0;
    }

    /** Takes down so many delegations of a client that is gone; says how many there were. */
    int clear(Client client, int most) {
        int done = 0;
        for (; done < most && !client.delegations.isEmpty(); done++) {
            remove(client.delegations.values().iterator().next(), letGo);
        }
        return done;
    }

    /** Takes back what was recalled for a lease and not given. */
    void sweep(long nowNanos) {
        List<DelegationState> overdue = new ArrayList<>();
        for (DelegationState delegation : recalled) {
            if (!delegation.isOverdue(nowNanos, leaseNanos)) {
                break;
            }
            overdue.add(delegation);
        }
        overdue.forEach(this::revoke);
        for (Iterator<Long> rests = restingUntil.values().iterator(); rests.hasNext(); ) {
            if (nowNanos - rests.next() < 0) {
                break;
            }
            rests.remove();
        }
    }

    /** The server ends. */
    void releaseFiles(Consumer<SharedFile> closer) {
        byFile.values().forEach(held -> held.values().forEach(delegation -> delegation.releaseFile(closer)));
    }

    /** A CB_RECALL was not answered, or not as it should have been. */
    void recallFailed() {
        recallsFailed++;
    }

    /** What became of recalls since the start. */
    RecallCounts recalls() {
        return new RecallCounts(recallsSent, recallsFailed, recallsReturned, recallsRevoked);
    }

    long refused() {
        return shares.refused();
    }

    /** Held by clients, revoked ones included until they are freed. */
    int count() {
        return (int) shares.taken();
    }
}
