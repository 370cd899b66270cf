package org.warpnfs.nfs.v4.state.file;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;

/**
 * Which delegations there are, by file and by client, and which files are delegated for writing. It grants, recalls and
 * closes nothing.
 *
 * <p>Guarded by the lock of the state, but for what says that it needs none.
 */
public final class HeldDelegations {
    /** An address is near its share if it could not take this part of what it has once more. */
    private static final int NEAR_PART = 8;

    /** With fewer delegations than this a client is not asked to return any. */
    private static final int LEAST_THINNED = 4;

    private static final long THINNING_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final StateEntries states;
    private final Shares shares;
    /** Delegations that were not revoked. A client has at most one of a file. */
    private final Map<FileKey, Rotation<Client, DelegationState>> byFile = new HashMap<>();
    /** Those of them to write: one of a file, but for those that were reclaimed after a restart. */
    private final Map<FileKey, Map<Client, DelegationState>> writers = new HashMap<>();

    private final Map<Client, Held> byClient = new HashMap<>();
    /** Files with a write delegation. Changed under the lock, and read without it. */
    private final Set<FileKey> written = ConcurrentHashMap.newKeySet();

    /** How often a file ceased to be one of {@link #written}. Raised before it does. */
    private final AtomicLong writtenBack = new AtomicLong();

    /** The delegations of one client. */
    private static final class Held {
        /** By number, including revoked ones until they are freed. */
        final Map<Long, DelegationState> all = new LinkedHashMap<>(2);

        int revoked;
        /** True if the client was asked to return some, at {@link #askedNanos}. */
        boolean isAsked;

        long askedNanos;
    }

    HeldDelegations(StateLimits limits, StateEntries states) {
        this.states = states;
        this.shares = new Shares(limits.maxDelegations());
    }

    /** Adds a delegation that was granted. */
    void enter(DelegationState delegation) {
        Client client = delegation.client();
        states.enter(delegation);
        byClient.computeIfAbsent(client, _ -> new Held()).all.put(delegation.number(), delegation);
        byFile.computeIfAbsent(delegation.key(), _ -> new Rotation<>()).put(client, delegation);
        if (delegation.kind() == DelegationKind.WRITE) {
            writers.computeIfAbsent(delegation.key(), _ -> new LinkedHashMap<>(2))
                    .put(client, delegation);
            written.add(delegation.key());
        }
        shares.take(client.address(), 1);
    }

    /**
     * A delegation was returned or revoked, or its client is forgotten: its file is no longer delegated. Its stateid
     * stays until {@link #forget}.
     */
    void leave(DelegationState delegation) {
        FileKey file = delegation.key();
        byFile.computeIfPresent(file, (_, held) -> {
            held.remove(delegation.client(), delegation);
            return held.isEmpty() ? null : held;
        });
        if (delegation.kind() != DelegationKind.WRITE) {
            return;
        }
        writers.computeIfPresent(file, (_, held) -> {
            held.remove(delegation.client(), delegation);
            return held.isEmpty() ? null : held;
        });
        if (!writers.containsKey(file) && written.contains(file)) {
            writtenBack.incrementAndGet();
            written.remove(file);
        }
    }

    /** Removes the stateid of a delegation. */
    void forget(DelegationState delegation) {
        states.leave(delegation);
        Client client = delegation.client();
        byClient.computeIfPresent(client, (_, held) -> {
            held.all.remove(delegation.number());
            return held.all.isEmpty() ? null : held;
        });
        if (!client.isGone()) {
            shares.giveBack(client.address(), 1);
        }
    }

    /** Notes that a delegation of a client was revoked, or with -1 that a revoked one was freed. */
    void revoked(DelegationState delegation, int more) {
        Held held = byClient.get(delegation.client());
        if (held != null) {
            held.revoked += more;
        }
    }

    /** True if the client has a delegation of the file that was not revoked. */
    public boolean holds(Client client, FileKey file) {
        return heldBy(client, file) != null;
    }

    /** True if the delegation was neither returned nor revoked. */
    public boolean isHeld(DelegationState delegation) {
        return heldBy(delegation.client(), delegation.key()) == delegation;
    }

    private @Nullable DelegationState heldBy(Client client, FileKey file) {
        Rotation<Client, DelegationState> held = byFile.get(file);
        return held == null ? null : held.get(client);
    }

    /** Number of the delegations of a file that were not revoked. */
    int countOf(FileKey file) {
        Rotation<Client, DelegationState> held = byFile.get(file);
        return held == null ? 0 : held.size();
    }

    /** Some delegations of a file that were not revoked; the next call goes on behind them. */
    List<DelegationState> next(FileKey file, int most) {
        Rotation<Client, DelegationState> held = byFile.get(file);
        return held == null ? List.of() : held.next(most);
    }

    /** The delegations to write a file: few. */
    Collection<DelegationState> writersOf(FileKey file) {
        return writers.getOrDefault(file, Map.of()).values();
    }

    /**
     * True if another client has a delegation of the file that is not forgotten. True too while too many that are
     * forgotten had one.
     */
    boolean isHeldByOthers(FileKey file, Client client, int most) {
        boolean isMore = countOf(file) > most;
        for (DelegationState delegation : next(file, most)) {
            if (delegation.client().isForgotten()) {
                leave(delegation);
            } else if (delegation.client() != client) {
                return true;
            }
        }
        return isMore;
    }

    /** The delegations of a client, including revoked ones until they are freed. */
    public Collection<DelegationState> of(Client client) {
        Held held = byClient.get(client);
        return held == null ? List.of() : held.all.values();
    }

    /** The delegations of a client of files of a file system. */
    public List<DelegationState> of(Client client, FileSystem fileSystem) {
        return of(client).stream()
                .filter(delegation -> delegation.isOf(fileSystem))
                .toList();
    }

    /** All clients with delegations. */
    public List<Client> clients() {
        return List.copyOf(byClient.keySet());
    }

    /** Every delegation that was not revoked. */
    List<DelegationState> all() {
        return byFile.values().stream().flatMap(held -> held.values().stream()).toList();
    }

    /** Number of delegations of a client that were revoked and not freed yet. */
    public int revokedOf(Client client) {
        Held held = byClient.get(client);
        return held == null ? 0 : held.revoked;
    }

    /**
     * True if a client may have changes of the file in its cache. Needs no lock: whoever asks before the delegation is
     * granted comes before the changes.
     */
    public boolean isWriteDelegated(FileKey file) {
        return written.contains(file);
    }

    /**
     * How often a file ceased to be {@linkplain #isWriteDelegated delegated for writing}. If a file is not delegated
     * and this number is the one from before its attributes were read, it was not delegated when they were. Needs no
     * lock.
     */
    public long writtenBack() {
        return writtenBack.get();
    }

    /** True if any file is delegated for writing. Needs no lock. */
    public boolean isAnyWriteDelegated() {
        return !written.isEmpty();
    }

    /** True if the client has a write delegation of the file. */
    public boolean isWriter(FileKey file, Client client) {
        DelegationState held = heldBy(client, file);
        return held != null && held.kind() == DelegationKind.WRITE;
    }

    /** The write delegation of a client other than {@code by}, recalled or not; null if there is none. */
    @Nullable
    public DelegationState writerOf(FileKey file, @Nullable Client by) {
        for (DelegationState delegation : writersOf(file)) {
            if (delegation.client() != by && !delegation.client().isGone()) {
                return delegation;
            }
        }
        return null;
    }

    /**
     * The client of NFSv4.0 at this address that has a write delegation of the file; null if there is none. A GETATTR
     * of NFSv4.0 does not say whose it is.
     */
    @Nullable
    public Client sessionlessWriterAt(FileKey file, ClientAddress address) {
        for (DelegationState delegation : writersOf(file)) {
            Client holder = delegation.client();
            if (holder.isSessionless() && holder.address().equals(address)) {
                return holder;
            }
        }
        return null;
    }

    /** Permission by a write delegation of the file, or permission without a file. */
    public IoGrant anyWriter(FileKey file) {
        DelegationState delegation = writerOf(file, null);
        return delegation == null ? IoGrant.withoutFile() : IoGrant.holding(delegation.writer());
    }

    /** Notes the attributes of a file whose write delegation a client has got. */
    public void setWhenGranted(Client client, FileKey file, FileAttributes attributes) {
        DelegationState delegation = heldBy(client, file);
        if (delegation != null) {
            delegation.setWhenGranted(attributes);
        }
    }

    /** True if the client may get one more. If not, that is counted. */
    boolean hasRoomFor(Client client) {
        if (shares.hasRoomFor(client.address(), 1)) {
            return true;
        }
        shares.refuse();
        return false;
    }

    /**
     * True if the address of the client comes near its share, so that the client should return some that it does not
     * use. Not if it has few, or was {@linkplain #thinned asked} a short while ago.
     */
    boolean shouldBeThinned(long nowNanos, Client client) {
        long more = Math.max(1, shares.of(client.address()) / NEAR_PART);
        Held held = byClient.get(client);
        return held != null
                && held.all.size() >= LEAST_THINNED
                && !shares.hasRoomFor(client.address(), more)
                && !(held.isAsked && nowNanos - held.askedNanos < THINNING_PAUSE_NANOS);
    }

    /** Notes that the client was asked to return some. */
    void thinned(long nowNanos, Client client) {
        Held held = byClient.get(client);
        if (held != null) {
            held.isAsked = true;
            held.askedNanos = nowNanos;
        }
    }

    /** Called when a client is removed. Its delegations no longer count. */
    public void depart(Client client) {
        shares.giveBack(client.address(), of(client).size());
    }

    /** How often a client got no delegation because there was no room. */
    public long refused() {
        return shares.refused();
    }

    /** Number of delegations, including revoked ones until they are freed. */
    public int count() {
        return (int) shares.taken();
    }
}
