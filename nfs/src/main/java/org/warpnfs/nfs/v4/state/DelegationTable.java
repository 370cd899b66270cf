package org.warpnfs.nfs.v4.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
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

    private final StateLimits limits;
    private final long leaseNanos;
    private final StateEntries states;
    private final FileStates files;
    private final Map<FileHandle, List<DelegationState>> byFile = new HashMap<>();
    private final Map<FileHandle, Integer> changesUnderWay = new HashMap<>();
    private final LinkedHashMap<FileHandle, Long> restingUntil = new LinkedHashMap<>();
    private int count;

    DelegationTable(StateLimits limits, long leaseNanos, StateEntries states, FileStates files) {
        this.limits = limits;
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
                        || count >= limits.maxDelegations()) {
                    yield none(DelegationGrant.Why.RESOURCE);
                }
                yield new DelegationGrant.Read(add(request, wish, reader).stateid(), false);
            }
            case RECLAIM -> {
                if (reader == null || holds(client, request.file().handle()) || count >= limits.maxDelegations()) {
                    yield none(DelegationGrant.Why.RESOURCE);
                }
                DelegationState delegation = add(request, wish, reader);
                boolean recalled = !client.hasCallbackPath()
                        || files.hasWriter(request.file().handle());
                if (recalled) {
                    delegation.recall(nowNanos);
                    delegation.acknowledge();
                }
                yield new DelegationGrant.Read(delegation.stateid(), recalled);
            }
        };
    }

    private boolean holds(Client client, FileHandle file) {
        return byFile.getOrDefault(file, List.of()).stream().anyMatch(delegation -> delegation.client() == client);
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
        byFile.computeIfAbsent(request.file().handle(), _ -> new ArrayList<>(1)).add(delegation);
        count++;
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
        for (DelegationState delegation : List.copyOf(byFile.getOrDefault(file, List.of()))) {
            if (delegation.client() == by) {
                continue;
            }
            if (delegation.isOverdue(nowNanos, leaseNanos)) {
                revoke(delegation);
                continue;
            }
            delegation.recall(nowNanos);
            notify(nowNanos, delegation);
            holder = delegation.client();
        }
        if (holder == null) {
            return null;
        }
        rest(file, nowNanos);
        return new Conflict(holder, null);
    }

    private void rest(FileHandle file, long nowNanos) {
        restingUntil.putLast(file, nowNanos + REST_NANOS);
        if (restingUntil.size() > MAX_RESTING) {
            restingUntil.pollFirstEntry();
        }
    }

    private static void notify(long nowNanos, DelegationState delegation) {
        if (delegation.isRecallDue(nowNanos, RECALL_PAUSE_NANOS)) {
            delegation.client().recall(nowNanos, delegation);
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
        remove(find(client, file, stateid));
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

    private void remove(DelegationState delegation) {
        leave(delegation);
        forget(delegation);
        delegation.releaseFile();
    }

    /** Without a session the client has no way to free what was revoked: it is gone at once. */
    private void revoke(DelegationState delegation) {
        if (delegation.client().isSessionless()) {
            remove(delegation);
            return;
        }
        leave(delegation);
        delegation.revoke();
        delegation.client().revokedDelegations++;
    }

    private void leave(DelegationState delegation) {
        FileHandle file = delegation.key().handle();
        byFile.computeIfPresent(file, (_, held) -> {
            held.remove(delegation);
            return held.isEmpty() ? null : held;
        });
    }

    private void forget(DelegationState delegation) {
        states.leave(delegation);
        delegation.client().delegations.remove(delegation.number());
        count--;
    }

    /** All that a client has, when it is let go. */
    void forget(Client client) {
        for (DelegationState delegation : List.copyOf(client.delegations.values())) {
            remove(delegation);
        }
        client.revokedDelegations = 0;
    }

    /** Takes back what was recalled for a lease and not given. */
    void sweep(long nowNanos) {
        List<DelegationState> overdue = new ArrayList<>();
        byFile.values().forEach(held -> held.stream()
                .filter(delegation -> delegation.isOverdue(nowNanos, leaseNanos))
                .forEach(overdue::add));
        overdue.forEach(this::revoke);
        for (Iterator<Long> rests = restingUntil.values().iterator(); rests.hasNext(); ) {
            if (nowNanos - rests.next() < 0) {
                break;
            }
            rests.remove();
        }
    }

    /** The server ends. */
    void releaseFiles() {
        byFile.values().forEach(held -> held.forEach(DelegationState::releaseFile));
    }

    /** Held by clients, revoked ones included until they are freed. */
    int count() {
        return count;
    }
}
