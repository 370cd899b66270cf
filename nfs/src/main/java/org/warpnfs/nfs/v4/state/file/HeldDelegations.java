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
    private final Map<FileKey, Map<Client, DelegationState>> byFile = new HashMap<>();

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
        byFile.computeIfAbsent(delegation.key(), _ -> new LinkedHashMap<>(2)).put(client, delegation);
        if (delegation.kind() == DelegationKind.WRITE) {
            written.add(delegation.key());
        }
        shares.take(client.address(), 1);
    }

    /**
     * A delegation was returned or revoked: its file is no longer delegated. Its stateid stays until {@link #forget}.
     */
    void leave(DelegationState delegation) {
        FileKey file = delegation.key();
        byFile.computeIfPresent(file, (_, held) -> {
            held.remove(delegation.client(), delegation);
            return held.isEmpty() ? null : held;
        });
        // After a restart two clients may have reclaimed one, to return it at once.
        if (byFile.getOrDefault(file, Map.of()).values().stream()
                        .noneMatch(other -> other.kind() == DelegationKind.WRITE)
                && written.contains(file)) {
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
        return byFile.getOrDefault(file, Map.of()).containsKey(client);
    }

    /** True if the delegation was neither returned nor revoked. */
    public boolean isHeld(DelegationState delegation) {
        return byFile.getOrDefault(delegation.key(), Map.of()).get(delegation.client()) == delegation;
    }

    /** The delegations of a file that were not revoked. */
    Collection<DelegationState> of(FileKey file) {
        return byFile.getOrDefault(file, Map.of()).values();
    }

    /** The delegations of a client, including revoked ones until they are freed. */
    public Collection<DelegationState> of(Client client) {
        Held held = byClient.get(client);
        return held == null ? List.of() : held.all.values();
    }

    /** The delegations of files of a file system. */
    public List<DelegationState> of(FileSystem fileSystem) {
        return byFile.values().stream()
                .flatMap(held -> held.values().stream())
                .filter(delegation -> delegation.isOf(fileSystem))
                .toList();
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
        DelegationState held = byFile.getOrDefault(file, Map.of()).get(client);
        return held != null && held.kind() == DelegationKind.WRITE;
    }

    /** The write delegation of a client other than {@code by}, recalled or not; null if there is none. */
    @Nullable
    public DelegationState writerOf(FileKey file, @Nullable Client by) {
        for (DelegationState delegation : byFile.getOrDefault(file, Map.of()).values()) {
            if (delegation.kind() == DelegationKind.WRITE
                    && delegation.client() != by
                    && !delegation.client().isGone()) {
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
        for (DelegationState delegation : byFile.getOrDefault(file, Map.of()).values()) {
            Client holder = delegation.client();
            if (delegation.kind() == DelegationKind.WRITE
                    && holder.isSessionless()
                    && holder.address().equals(address)) {
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
        DelegationState delegation = byFile.getOrDefault(file, Map.of()).get(client);
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
