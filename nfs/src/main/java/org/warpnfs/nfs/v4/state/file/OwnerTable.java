package org.warpnfs.nfs.v4.state.file;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * The owners of NFSv4.0 clients and the order of their requests (RFC 7530, sections 9.1.7 to 9.1.11):
 *
 * <pre>
 *   request of an owner            with seqid    outcome
 *   that has one in progress       any           RESOURCE, which does not advance the seqid
 *   unknown, or not yet confirmed  any, by OPEN  executed; opens of an unconfirmed owner are closed first
 *   known                          last + 1      executed
 *   known                          last          the same answer, if it is the same operation
 *   known                          other         BAD_SEQID
 * </pre>
 *
 * An open-owner without opens is kept for a lease, so that its last CLOSE can be repeated. A lock-owner is removed with
 * its last lock stateid. Guarded by the lock of the state.
 */
public final class OwnerTable {
    private final Shares shares;
    private final int maxOpenOwnersPerClient;
    /** Open-owners without opens, the one that has had none for longest first. */
    private final LinkedHashSet<StateOwner> idle = new LinkedHashSet<>();
    /** Owners by the number of the open that each closed last. */
    private final Map<Long, StateOwner> closed = new HashMap<>();

    private final Map<Client, Owners> byClient = new HashMap<>();

    /** The owners of one client. */
    private static final class Owners {
        /** Open-owners without opens, the one that has had none for longest first. */
        final Set<StateOwner> idle = new LinkedHashSet<>(2);

        final Map<Opaque, StateOwner> open = new HashMap<>();
        final Map<Opaque, StateOwner> lock = new HashMap<>();

        Map<Opaque, StateOwner> of(StateOwner.Kind kind) {
            return switch (kind) {
                case OPEN -> open;
                case LOCK -> lock;
            };
        }
    }

    /** @param limits as many open-owners as opens, for all clients and for each */
    public OwnerTable(StateLimits limits) {
        this.shares = new Shares(limits.maxOpens());
        this.maxOpenOwnersPerClient = limits.maxOpensPerClient();
    }

    /** Adds an open-owner, whose first request may have any seqid; RESOURCE if there are too many. */
    StateOwner addOpenOwner(Client client, Opaque name, int firstSeqid) throws Nfs4Exception {
        Owners known = byClient.get(client);
        Set<StateOwner> ownIdle = known == null ? Set.of() : known.idle;
        if (known != null && known.open.size() >= maxOpenOwnersPerClient) {
            forgetOne(ownIdle);
        } else if (!shares.hasRoomFor(client.address(), 1)) {
            forgetOne(ownIdle.isEmpty() ? idle : ownIdle);
        }
        StateOwner owner = new StateOwner(StateOwner.Kind.OPEN, client, name);
        owner.seqid = firstSeqid - 1;
        add(owner);
        shares.take(client.address(), 1);
        return owner;
    }

    private void add(StateOwner owner) {
        byClient.computeIfAbsent(owner.client, _ -> new Owners()).of(owner.kind).put(owner.name, owner);
    }

    private @Nullable StateOwner owner(StateOwner.Kind kind, Client client, Opaque name) {
        Owners known = byClient.get(client);
        return known == null ? null : known.of(kind).get(name);
    }

    /** The open-owner of that name; null if the client has none. */
    @Nullable
    StateOwner openOwner(Client client, Opaque name) {
        return owner(StateOwner.Kind.OPEN, client, name);
    }

    /** The lock-owner of that name; null if the client has none. */
    @Nullable
    StateOwner lockOwner(Client client, Opaque name) {
        return owner(StateOwner.Kind.LOCK, client, name);
    }

    /** True if the client has owners of either kind. */
    public boolean hasAny(Client client) {
        return byClient.containsKey(client);
    }

    private void forgetOne(Set<StateOwner> among) throws Nfs4Exception {
        if (among.isEmpty()) {
            shares.refuse();
            throw Nfs4Exception.of(Nfs4Status.RESOURCE);
        }
        forget(among.iterator().next());
    }

    private void idle(StateOwner owner) {
        idle.add(owner);
        Owners known = byClient.get(owner.client);
        if (known != null) {
            known.idle.add(owner);
        }
    }

    private void notIdle(StateOwner owner) {
        idle.remove(owner);
        Owners known = byClient.get(owner.client);
        if (known != null) {
            known.idle.remove(owner);
        }
    }

    /** Begins the owner's turn, or finds the reply to repeat. */
    OwnerTurn begin(StateOwner owner, int seqid, OpCode code) throws Nfs4Exception {
        if (owner.busy) {
            throw Nfs4Exception.of(Nfs4Status.RESOURCE);
        }
        OwnerReply last = owner.reply;
        if (last != null && last.code() == code && seqid == owner.seqid) {
            return new OwnerTurn(owner, seqid, code, last);
        }
        if (seqid != owner.seqid + 1) {
            throw Nfs4Exception.of(Nfs4Status.BAD_SEQID);
        }
        owner.busy = true;
        notIdle(owner);
        // The client must have the reply to its last CLOSE, or it would not send another request.
        forgetClosed(owner);
        return new OwnerTurn(owner, seqid, code, null);
    }

    /**
     * Ends the owner's turn: the request has been executed.
     *
     * @param reply null if its status does not advance the seqid
     */
    void end(long nowNanos, OwnerTurn turn, @Nullable OwnerReply reply) {
        StateOwner owner = turn.owner();
        owner.busy = false;
        if (owner.gone) {
            return;
        }
        owner.usedNanos = nowNanos;
        if (reply != null) {
            owner.seqid = turn.seqid();
            owner.reply = reply;
            Opaque lockName = turn.lockOwner();
            StateOwner lockOwner = lockName == null ? null : lockOwner(owner.client, lockName);
            if (lockOwner != null) {
                lockOwner.seqid = turn.lockSeqid();
                lockOwner.reply = null;
            }
        }
        if (owner.states.isEmpty()) {
            if (owner.confirmed) {
                idle(owner);
            } else {
                forget(owner);
            }
        }
    }

    /** Notes a new open or lock stateid of that number for its owner. Returns null if the client has sessions. */
    @Nullable
    StateOwner entered(StateOwner.Kind kind, Client client, Opaque name, long number) {
        if (!client.isSessionless()) {
            return null;
        }
        StateOwner owner = owner(kind, client, name);
        if (owner == null && kind == StateOwner.Kind.LOCK) {
            owner = new StateOwner(kind, client, name);
            add(owner);
        }
        if (owner != null) {
            owner.states.add(number);
        }
        return owner;
    }

    /** Notes that the open or lock stateid of that number is gone. */
    void left(@Nullable StateOwner owner, long number) {
        if (owner == null || owner.gone) {
            return;
        }
        owner.states.remove(number);
        if (owner.states.isEmpty() && !owner.busy) {
            if (owner.kind == StateOwner.Kind.LOCK || !owner.confirmed) {
                forget(owner);
            } else {
                idle(owner);
            }
        }
    }

    /** Notes that the owner has closed that open. The CLOSE may be repeated. */
    void closed(@Nullable StateOwner owner, long number) {
        if (owner != null) {
            owner.closedNumber = number;
            closed.put(number, owner);
        }
    }

    /** The owner that closed that open last; null if there is none, or it has sent another request since. */
    @Nullable
    StateOwner closerOf(long number) {
        return closed.get(number);
    }

    private void forgetClosed(StateOwner owner) {
        if (owner.closedNumber != 0) {
            closed.remove(owner.closedNumber);
            owner.closedNumber = 0;
        }
    }

    /** Removes an owner. Its opens must be closed before. */
    void forget(StateOwner owner) {
        if (owner.gone) {
            return;
        }
        owner.gone = true;
        forgetClosed(owner);
        notIdle(owner);
        byClient.computeIfPresent(owner.client, (_, owners) -> {
            owners.of(owner.kind).remove(owner.name);
            return owners.open.isEmpty() && owners.lock.isEmpty() ? null : owners;
        });
        if (owner.kind == StateOwner.Kind.OPEN && !owner.client.isGone()) {
            shares.giveBack(owner.client.address(), 1);
        }
    }

    /** Called when a client is removed. Its owners no longer count. */
    public void depart(Client client) {
        Owners known = byClient.get(client);
        if (known != null) {
            shares.giveBack(client.address(), known.open.size());
        }
    }

    /** Frees at most {@code most} owners of a client that is gone. Returns how many it freed. */
    public int clear(Client client, int most) {
        int done = 0;
        for (Owners left = byClient.get(client); done < most && left != null; left = byClient.get(client)) {
            Map<Opaque, StateOwner> next = left.open.isEmpty() ? left.lock : left.open;
            forget(next.values().iterator().next());
            done++;
        }
        return done;
    }

    /**
     * Removes open-owners that have had no opens for a lease.
     *
     * @param most how many, at most
     * @return true if there are more
     */
    public boolean sweep(long nowNanos, long leaseNanos, int most) {
        for (int left = most; !idle.isEmpty(); left--) {
            StateOwner longest = idle.getFirst();
            if (nowNanos - longest.usedNanos <= leaseNanos) {
                return false;
            }
            if (left == 0) {
                return true;
            }
            forget(longest);
        }
        return false;
    }

    /** How often a client was refused another open-owner. */
    public long refused() {
        return shares.refused();
    }

    /** Number of open-owners of clients that were not removed. */
    public int openOwnerCount() {
        return (int) shares.taken();
    }
}
