package org.warpnfs.nfs.v4.state.file;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.HolderQuery;
import org.warpnfs.nfs.v4.state.callback.Recaller;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Shares;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Delegations by file, and the changes of files that exclude them.
 *
 * <p>A file is identified by its {@link FileKey}, whatever the export. So a change through one export recalls
 * delegations that were granted through another.
 *
 * <p>Guarded by the lock of the state.
 */
public final class DelegationTable {
    /** An address is near its share if it could not take this part of what it has once more. */
    private static final int NEAR_PART = 8;

    /** With fewer delegations than this a client is not asked to return any. */
    private static final int LEAST_THINNED = 4;

    private static final long THINNING_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final StateEntries states;
    private final FileStates files;
    private final Recaller recaller;
    private final DelegationRecalls recalls;
    private final Consumer<SharedFile> letGo;
    private final Consumer<SharedFile> taken;
    private final Consumer<Runnable> following;
    private final BiConsumer<Client, FileKey> left;
    private final Shares shares;
    /** Delegations that were not revoked. A client has at most one of a file. */
    private final Map<FileKey, Map<Client, DelegationState>> byFile = new HashMap<>();

    private final Map<Client, Held> byClient = new HashMap<>();
    /** Files with a write delegation. Changed under the lock, and read without it. */
    private final Set<FileKey> written = ConcurrentHashMap.newKeySet();

    /** How often a file ceased to be one of {@link #written}. Raised before it does. */
    private final AtomicLong writtenBack = new AtomicLong();

    private long attributesAsked;
    private long recallAnySent;

    private volatile DelegationPolicy policy = DelegationPolicy.WRITE;

    /** The delegations of one client. */
    private static final class Held {
        /** By number, including revoked ones until they are freed. */
        final Map<Long, DelegationState> all = new LinkedHashMap<>(2);

        int revoked;
        /** True if the client was asked to return some, at {@link #askedNanos}. */
        boolean isAsked;

        long askedNanos;
    }

    private final FileChangeWindows changes = new FileChangeWindows();

    /**
     * @param letGo takes files of delegations that were returned or whose clients were removed; they are closed without
     *     the lock
     * @param taken takes files of delegations that were revoked or whose file is no longer served
     * @param following runs what has to be done without the lock: leases at backends end
     * @param left told of each delegation that was returned, revoked or removed
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
            BiConsumer<Client, FileKey> left) {
        this.following = following;
        this.left = left;
        this.letGo = letGo;
        this.taken = taken;
        this.shares = new Shares(limits.maxDelegations());
        this.states = states;
        this.files = files;
        this.recaller = recaller;
        this.recalls = new DelegationRecalls(leaseNanos, recaller);
    }

    /** Sets which delegations are granted from now on. */
    public void setPolicy(DelegationPolicy newPolicy) {
        policy = newPolicy;
    }

    /** True if an open may get a delegation when it has succeeded, as far as is known before. */
    public boolean mayGrant(long nowNanos, OpenRequest request, DelegationWant.Kind wish) {
        boolean writes = (request.access() & OpenRequest.WRITE) != 0;
        DelegationKind kind = writes ? DelegationKind.WRITE : DelegationKind.READ;
        boolean wanted =
                switch (wish) {
                    case SETTLED, UNWANTED, CANCEL -> false;
                    case READ, RECLAIM_READ -> !writes;
                    case WRITE, RECLAIM_WRITE -> writes;
                    case ANY -> true;
                };
        return wanted
                && policy.permits(kind)
                && recaller.reaches(request.client())
                && !changes.isContended(nowNanos, request.file())
                && !holds(request.client(), request.file())
                && !isUsedByOthers(request, kind);
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
     * Decides what delegation an open that has succeeded gets.
     *
     * @param reader the open's file to read from, and {@code writer} to write to; null where it has none
     */
    public DelegationGrant grant(
            long nowNanos,
            OpenRequest request,
            DelegationWant wish,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer) {
        boolean writes = (request.access() & OpenRequest.WRITE) != 0;
        DelegationKind kind = writes ? DelegationKind.WRITE : DelegationKind.READ;
        return switch (wish.kind()) {
            case SETTLED, UNWANTED -> none(DelegationGrant.Why.NOT_WANTED);
            case CANCEL -> none(DelegationGrant.Why.CANCELLED);
            case READ ->
                writes
                        ? none(DelegationGrant.Why.WRITE_NOT_SUPPORTED)
                        : granted(nowNanos, request, wish, kind, reader, writer);
            case WRITE ->
                writes
                        ? granted(nowNanos, request, wish, kind, reader, writer)
                        : none(DelegationGrant.Why.WRITE_NOT_SUPPORTED);
            case ANY -> granted(nowNanos, request, wish, kind, reader, writer);
            case RECLAIM_READ -> reclaimed(nowNanos, request, wish, DelegationKind.READ, reader, null);
            case RECLAIM_WRITE -> reclaimed(nowNanos, request, wish, DelegationKind.WRITE, reader, writer);
        };
    }

    private DelegationGrant granted(
            long nowNanos,
            OpenRequest request,
            DelegationWant wish,
            DelegationKind kind,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer) {
        Client client = request.client();
        if (!policy.permits(kind)) {
            return none(
                    kind == DelegationKind.WRITE
                            ? DelegationGrant.Why.WRITE_NOT_SUPPORTED
                            : DelegationGrant.Why.RESOURCE);
        }
        if (changes.isContended(nowNanos, request.file())) {
            return none(DelegationGrant.Why.CONTENTION);
        }
        boolean missing = kind == DelegationKind.WRITE ? writer == null : reader == null;
        if (missing || !recaller.reaches(client) || holds(client, request.file())) {
            return none(DelegationGrant.Why.RESOURCE);
        }
        if (isUsedByOthers(request, kind) || wish.mayBeBroken()) {
            return none(DelegationGrant.Why.CONTENTION);
        }
        thin(nowNanos, client);
        if (!hasRoomFor(client)) {
            return none(DelegationGrant.Why.RESOURCE);
        }
        return grantOf(add(request, wish, kind, reader, kind == DelegationKind.WRITE ? writer : null), false);
    }

    private DelegationGrant reclaimed(
            long nowNanos,
            OpenRequest request,
            DelegationWant wish,
            DelegationKind kind,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer) {
        Client client = request.client();
        boolean missing = reader == null && writer == null;
        // A break that has been told of is not told of again.
        if (missing || wish.isBreaking() || holds(client, request.file()) || !hasRoomFor(client)) {
            return none(DelegationGrant.Why.RESOURCE);
        }
        DelegationState delegation = add(request, wish, kind, reader, writer);
        boolean unwanted = !policy.permits(kind)
                || !recaller.reaches(client)
                || isUsedByOthers(request, kind)
                || wish.mayBeBroken();
        if (unwanted) {
            recalls.beginAfterGrace(nowNanos, delegation);
            delegation.acknowledge();
        }
        return grantOf(delegation, unwanted);
    }

    private static DelegationGrant grantOf(DelegationState delegation, boolean recalled) {
        return switch (delegation.kind()) {
            case READ -> new DelegationGrant.Read(delegation.stateid(), recalled);
            case WRITE -> new DelegationGrant.Write(delegation.stateid(), recalled, delegation.hasTimes());
        };
    }

    /** True if there are opens, locks or delegations that exclude a delegation of that kind. */
    private boolean isUsedByOthers(OpenRequest request, DelegationKind kind) {
        FileKey file = request.file();
        if (files.busy().contains(file)) {
            return true;
        }
        if (kind == DelegationKind.READ) {
            return files.hasWriter(file);
        }
        boolean delegated = byFile.getOrDefault(file, Map.of()).keySet().stream()
                .anyMatch(holder -> holder != request.client() && !holder.isGone());
        return delegated || files.isOpenByOthers(request) || files.isLocked(request.file());
    }

    /**
     * Asks a client to return half of its delegations, those that it does not use, if its address comes near its share.
     * What it returns makes room for those that it needs. It is not asked again for a while, whatever it does.
     */
    private void thin(long nowNanos, Client client) {
        long more = Math.max(1, shares.of(client.address()) / NEAR_PART);
        Held held = byClient.get(client);
        if (held == null
                || held.all.size() < LEAST_THINNED
                || shares.hasRoomFor(client.address(), more)
                || (held.isAsked && nowNanos - held.askedNanos < THINNING_PAUSE_NANOS)) {
            return;
        }
        if (recaller.recallAny(nowNanos, client, held.all.size() / 2)) {
            held.isAsked = true;
            held.askedNanos = nowNanos;
            recallAnySent++;
        }
    }

    private boolean hasRoomFor(Client client) {
        if (shares.hasRoomFor(client.address(), 1)) {
            return true;
        }
        shares.refuse();
        return false;
    }

    /** True if the client has a delegation of the file that was not revoked. */
    public boolean holds(Client client, FileKey file) {
        return byFile.getOrDefault(file, Map.of()).containsKey(client);
    }

    private static DelegationGrant none(DelegationGrant.Why why) {
        return new DelegationGrant.None(why);
    }

    private DelegationState add(
            OpenRequest request,
            DelegationWant wish,
            DelegationKind kind,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer) {
        DelegationState delegation = new DelegationState(
                request.client(),
                request.owner(),
                request.file(),
                states.firstStateid(states.nextNumber()),
                wish.wireHandle(),
                kind,
                kind == DelegationKind.WRITE && wish.withTimes(),
                reader == null ? null : reader.hold().takenByState(),
                writer == null ? null : writer.hold().takenByState());
        enter(delegation);
        if (kind == DelegationKind.WRITE) {
            written.add(request.file());
        }
        BackendLease lease = wish.lease();
        if (lease != null) {
            lease.grantedTo(delegation);
            delegation.setLease(lease);
        }
        return delegation;
    }

    private void enter(DelegationState delegation) {
        Client client = delegation.client();
        states.enter(delegation);
        byClient.computeIfAbsent(client, _ -> new Held()).all.put(delegation.number(), delegation);
        byFile.computeIfAbsent(delegation.key(), _ -> new LinkedHashMap<>(2)).put(client, delegation);
        shares.take(client.address(), 1);
    }

    /** True if clients may get delegations of directories, so that changes of directories matter. Needs no lock. */
    public boolean mayDelegateDirectories() {
        return policy.permitsDirectories();
    }

    /**
     * GET_DIR_DELEGATION: a delegation without notifications, which any change of the directory by others recalls.
     * Returns null if there is none to give now.
     */
    public @Nullable Stateid grantDirectory(
            long nowNanos, Client client, FileKey directory, Opaque wireHandle, FileSystem fileSystem) {
        if (!policy.permitsDirectories()
                || changes.isContended(nowNanos, directory)
                || !recaller.reaches(client)
                || holds(client, directory)
                || !hasRoomFor(client)) {
            return null;
        }
        DelegationState delegation = new DelegationState(
                client, directory, states.firstStateid(states.nextNumber()), wireHandle, fileSystem);
        enter(delegation);
        return delegation.stateid();
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

    /** True if the client has a write delegation of the file. */
    public boolean isWriter(FileKey file, Client client) {
        DelegationState held = byFile.getOrDefault(file, Map.of()).get(client);
        return held != null && held.kind() == DelegationKind.WRITE;
    }

    /** True if any file is delegated for writing. Needs no lock. */
    public boolean isAnyWriteDelegated() {
        return !written.isEmpty();
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
        Client holder = null;
        for (DelegationState delegation :
                List.copyOf(byFile.getOrDefault(file, Map.of()).values())) {
            if (isOwn.test(delegation) || delegation.client().isGone() || !use.conflictsWith(delegation.kind())) {
                continue;
            }
            if (recalls.isOverdue(nowNanos, delegation)) {
                revoke(delegation);
                continue;
            }
            recalls.begin(nowNanos, delegation);
            recalls.tell(nowNanos, delegation);
            holder = delegation.client();
        }
        if (holder == null) {
            return null;
        }
        changes.rest(nowNanos, file);
        return new Conflict(holder, null);
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

    /** True if the delegation was neither returned nor revoked. */
    public boolean isHeld(DelegationState delegation) {
        return byFile.getOrDefault(delegation.key(), Map.of()).get(delegation.client()) == delegation;
    }

    /** Permission by a write delegation of the file, or permission without a file. */
    public IoGrant anyWriter(FileKey file) {
        DelegationState delegation = writerOf(file, null);
        return delegation == null ? IoGrant.withoutFile() : IoGrant.holding(delegation.writer());
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
                new CallbackCall.GetAttr(delegation.wireHandle(), delegation.hasTimes(), query))) {
            return null;
        }
        delegation.setQuery(query);
        attributesAsked++;
        return query;
    }

    /** Notes the attributes of a file whose write delegation a client has got. */
    public void setWhenGranted(Client client, FileKey file, FileAttributes attributes) {
        DelegationState delegation = byFile.getOrDefault(file, Map.of()).get(client);
        if (delegation != null) {
            delegation.setWhenGranted(attributes);
        }
    }

    /** Sends the recalls that waited for a callback path to come up or for a free slot. */
    public void notifyAll(long nowNanos, Client client) {
        of(client).forEach(delegation -> recalls.tell(nowNanos, delegation));
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
        revoked(delegation, -1);
        forget(delegation);
    }

    private void endLease(DelegationState delegation) {
        BackendLease lease = delegation.removeLease();
        if (lease != null) {
            following.accept(lease::end);
        }
    }

    private void remove(DelegationState delegation, Consumer<SharedFile> closer) {
        endLease(delegation);
        leave(delegation);
        forget(delegation);
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
        revoked(delegation, 1);
    }

    private void revoked(DelegationState delegation, int more) {
        Held held = byClient.get(delegation.client());
        if (held != null) {
            held.revoked += more;
        }
    }

    private void leave(DelegationState delegation) {
        FileKey file = delegation.key();
        recalls.end(delegation);
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
        left.accept(delegation.client(), file);
    }

    private void forget(DelegationState delegation) {
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

    /** The delegations of a client, including revoked ones until they are freed. */
    public Collection<DelegationState> of(Client client) {
        Held held = byClient.get(client);
        return held == null ? List.of() : held.all.values();
    }

    /** Number of delegations of a client that were revoked and not freed yet. */
    public int revokedOf(Client client) {
        Held held = byClient.get(client);
        return held == null ? 0 : held.revoked;
    }

    /** The delegations of files of a file system. */
    public List<DelegationState> of(FileSystem fileSystem) {
        return byFile.values().stream()
                .flatMap(held -> held.values().stream())
                .filter(delegation -> delegation.isOf(fileSystem))
                .toList();
    }

    /** Removes a delegation of a file that is no longer served, if it still exists. */
    public void withdraw(DelegationState delegation) {
        if (byFile.getOrDefault(delegation.key(), Map.of()).containsValue(delegation)) {
            remove(delegation, taken);
        }
    }

    /** Called when a client is removed. Its delegations no longer count. */
    public void depart(Client client) {
        shares.giveBack(client.address(), of(client).size());
    }

    /** Frees at most {@code most} delegations of a client that is gone. Returns how many it freed. */
    public int clear(Client client, int most) {
        int done = 0;
        for (Collection<DelegationState> left = of(client); done < most && !left.isEmpty(); left = of(client)) {
            remove(left.iterator().next(), letGo);
            done++;
        }
        return done;
    }

    /** Revokes delegations that were recalled and not returned within a lease. */
    public void sweep(long nowNanos) {
        recalls.overdue(nowNanos).forEach(this::revoke);
        changes.sweep(nowNanos);
    }

    /** Releases all files when the server ends. */
    public void releaseFiles() {
        byFile.values().forEach(held -> held.values().forEach(delegation -> {
            endLease(delegation);
            delegation.releaseFiles(letGo);
        }));
    }

    /** The recalls that are under way. */
    public DelegationRecalls recalls() {
        return recalls;
    }

    /** What holders were asked for, without a recall. */
    public QuestionCounts questions() {
        return new QuestionCounts(attributesAsked, recallAnySent);
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
