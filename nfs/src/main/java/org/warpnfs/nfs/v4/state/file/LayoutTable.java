package org.warpnfs.nfs.v4.state.file;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.fence.Fencing;
import org.warpnfs.nfs.v4.state.callback.Recaller;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Layouts by file.
 *
 * <p>A layout exists only while its client has the file open or delegated. So what excludes an open of another client
 * excludes its layouts too, and there are never more layouts than opens and delegations, which are limited.
 *
 * <p>Guarded by the lock of the state.
 */
public final class LayoutTable {
    /** Pause before a recall is repeated that the client could not process yet. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long leaseNanos;
    private final StateEntries states;
    private final FileStates files;
    private final Recaller recaller;
    private final BiPredicate<FileKey, Client> isWriter;
    /** Layouts that are not revoked. A client has at most one of a file. */
    private final Map<FileKey, Rotation<Client, LayoutState>> byFile = new HashMap<>();
    /** Revoked layouts, until their clients know. They are in nobody's way, so nobody who changes a file meets them. */
    private final Map<FileKey, Map<Client, LayoutState>> lost = new HashMap<>();

    private final Map<Client, Map<Long, LayoutState>> byClient = new HashMap<>();
    /** Removed clients that still have layouts. */
    private final Set<Client> gone = new HashSet<>();
    /** Recalled layouts. They may have to be revoked. */
    private final Rotation<LayoutState, LayoutState> recalled = new Rotation<>();
    /** Files whose layouts are being recalled a portion at a time. */
    private final Set<FileKey> recalling = new HashSet<>();

    private final Consumer<Runnable> later;

    private final RevokedLayouts revoked = new RevokedLayouts();

    private final LayoutFences fences = new LayoutFences();

    private final FileChangeWindows changes = new FileChangeWindows();
    private int count;
    private long granted;
    private long sent;
    private long revocations;

    /**
     * @param isWriter true if the client has a write delegation of the file
     * @param later runs what is left to do with the lock, but not in this call
     */
    public LayoutTable(
            long leaseNanos,
            StateEntries states,
            FileStates files,
            Recaller recaller,
            BiPredicate<FileKey, Client> isWriter,
            Consumer<Runnable> later) {
        this.later = later;
        this.isWriter = isWriter;
        this.leaseNanos = leaseNanos;
        this.states = states;
        this.files = files;
        this.recaller = recaller;
    }

    /**
     * Grants a layout of the whole file.
     *
     * @throws Nfs4Exception OPENMODE if the stateid does not permit to write; RECALLCONFLICT while the client has to
     *     return one; LAYOUTUNAVAILABLE if the client has to do without, for now
     */
    public LayoutGrant grant(long nowNanos, LayoutRequest request) throws Nfs4Exception {
        LayoutState held = heldBy(request);
        if (held != null && held.isRecalled()) {
            throw Nfs4Exception.of(Nfs4Status.RECALLCONFLICT);
        }
        if (changes.isContended(nowNanos, request.file())
                || fences.isUnderWay(nowNanos, request.file())
                || !recaller.reaches(request.client())) {
            throw Nfs4Exception.of(Nfs4Status.LAYOUTUNAVAILABLE);
        }
        LayoutState layout = held == null ? entered(request) : held;
        layout.grant(request.writes(), request.by());
        granted++;
        return new LayoutGrant(layout.stateid(), fences.stamp(layout));
    }

    /** The layout that the client has already; null if there is none. Checks the stateid. */
    private @Nullable LayoutState heldBy(LayoutRequest request) throws Nfs4Exception {
        if (states.entry(request.client(), request.stateid()) instanceof LayoutState) {
            LayoutState held = find(request.client(), request.file(), request.stateid());
            requireAccess(
                    request,
                    files.isOpenToWriteBy(request.file(), request.client())
                            || isWriter.test(request.file(), request.client()));
            return held;
        }
        requireAccess(
                request,
                switch (states.find(request.client(), request.file(), request.stateid())) {
                    case OpenState open -> mayWrite(open);
                    case LockState lock -> mayWrite(lock.open);
                    case DelegationState delegation -> delegation.kind() == DelegationKind.WRITE;
                    case LayoutState layout -> layout.writes();
                });
        // A client that has lost its layout, by a bulk recall for example, begins again with the stateid of an open.
        LayoutState held = heldBy(request.client(), request.file());
        if (held != null && held.isRevoked()) {
            remove(held);
            return null;
        }
        return held;
    }

    private @Nullable LayoutState heldBy(Client client, FileKey file) {
        Rotation<Client, LayoutState> held = byFile.get(file);
        LayoutState layout = held == null ? null : held.get(client);
        return layout == null ? lost.getOrDefault(file, Map.of()).get(client) : layout;
    }

    private static boolean mayWrite(OpenState open) {
        return (open.access & OpenRequest.WRITE) != 0;
    }

    private static void requireAccess(LayoutRequest request, boolean mayWrite) throws Nfs4Exception {
        if (request.writes() && !mayWrite) {
            throw Nfs4Exception.of(Nfs4Status.OPENMODE);
        }
    }

    private LayoutState entered(LayoutRequest request) {
        LayoutState layout = new LayoutState(request, states.firstStateid(states.nextNumber()));
        states.enter(layout);
        byFile.computeIfAbsent(request.file(), _ -> new Rotation<>()).put(request.client(), layout);
        byClient.computeIfAbsent(request.client(), _ -> new LinkedHashMap<>(2)).put(layout.number(), layout);
        count++;
        return layout;
    }

    /**
     * The layout of that stateid. Its seqid may be an earlier one: requests of one client overtake each other (RFC
     * 8881, section 12.5.3).
     *
     * @throws Nfs4Exception BAD_STATEID if it is not of a layout of that file; DELEG_REVOKED
     */
    public LayoutState find(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        if (states.entry(client, stateid) instanceof LayoutState layout
                && layout.key().equals(file)
                && stateid.seqid() != 0
                && stateid.seqid() - layout.seqid() <= 0) {
            if (layout.isRevoked()) {
                throw Nfs4Exception.of(Nfs4Status.DELEG_REVOKED);
            }
            return layout;
        }
        throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
    }

    /** Checks that a stateid is of a layout to write the file; BADLAYOUT, BADIOMODE for one to read, DELEG_REVOKED. */
    public void requireToWrite(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        LayoutState held;
        try {
            held = find(client, file, stateid);
        } catch (Nfs4Exception e) {
            throw e.status() == Nfs4Status.BAD_STATEID ? Nfs4Exception.of(Nfs4Status.BADLAYOUT) : e;
        }
        if (!held.writes()) {
            throw Nfs4Exception.of(Nfs4Status.BADIOMODE);
        }
    }

    /** LAYOUTRETURN of one file. Returns the stateid of what is left; empty if nothing is. */
    public Optional<Stateid> giveBack(Client client, FileKey file, Stateid stateid, LayoutReturned part)
            throws Nfs4Exception {
        LayoutState layout = find(client, file, stateid);
        if (layout.giveBack(part.ofReading(), part.ofWriting())) {
            remove(layout);
            return Optional.empty();
        }
        return Optional.of(layout.stateid());
    }

    /** LAYOUTRETURN of all files, or of all files of a file system if it is not null. */
    public void giveBackAll(Client client, @Nullable FileSystem fileSystem, LayoutReturned part) {
        for (LayoutState layout : List.copyOf(of(client))) {
            if ((fileSystem == null || layout.isOf(fileSystem))
                    && layout.giveBack(part.ofReading(), part.ofWriting())) {
                remove(layout);
            }
        }
    }

    /**
     * Recalls the layouts of other clients than {@code by}. Returns one of these conflicts, or null if there is none.
     * It is a conflict too that data servers may still take a layout that has ended.
     *
     * @param by null for anyone who is not an NFSv4 client
     */
    @Nullable
    public Conflict conflict(long nowNanos, FileKey file, @Nullable Client by) {
        if (byFile.isEmpty() && fences.isIdle()) {
            return null;
        }
        Rotation<Client, LayoutState> held = byFile.get(file);
        int rest = held == null ? 0 : held.size() - DelegationTable.MAX_LOOKED_AT;
        Conflict found = recall(nowNanos, file, by);
        if (rest <= 0) {
            return found;
        }
        if (recalling.add(file)) {
            later.accept(() -> recallRest(nowNanos, file, rest, by));
        }
        return found == null ? new Conflict(null, null) : found;
    }

    private void recallRest(long nowNanos, FileKey file, int rest, @Nullable Client by) {
        var _ = recall(nowNanos, file, by);
        if (rest > DelegationTable.MAX_LOOKED_AT) {
            later.accept(() -> recallRest(nowNanos, file, rest - DelegationTable.MAX_LOOKED_AT, by));
        } else {
            recalling.remove(file);
        }
    }

    /** Recalls the next layouts of a file. */
    @Nullable
    private Conflict recall(long nowNanos, FileKey file, @Nullable Client by) {
        Rotation<Client, LayoutState> held = byFile.get(file);
        Client holder = null;
        for (LayoutState layout : held == null ? List.<LayoutState>of() : held.next(DelegationTable.MAX_LOOKED_AT)) {
            if (layout.client().isGone()) {
                end(layout);
                continue;
            }
            if (layout.client() == by) {
                continue;
            }
            if (layout.isLacked()) {
                remove(layout);
                continue;
            }
            if (layout.isOverdue(nowNanos, leaseNanos)) {
                revoke(layout);
                continue;
            }
            layout.recall(nowNanos);
            recalled.put(layout, layout);
            tell(nowNanos, layout);
            holder = layout.client();
        }
        if (holder == null) {
            return fences.isUnderWay(nowNanos, file) ? new Conflict(null, null) : null;
        }
        changes.rest(nowNanos, file);
        return new Conflict(holder, null);
    }

    private void tell(long nowNanos, LayoutState layout) {
        if (layout.isRecallDue(nowNanos, PAUSE_NANOS) && recaller.recall(nowNanos, layout.client(), layout)) {
            sent++;
        }
    }

    /** Sends the recalls that waited for a callback path or a slot, and removes layouts that the client lacks. */
    public void notifyAll(long nowNanos, Client client) {
        for (LayoutState layout : List.copyOf(of(client))) {
            if (layout.isLacked()) {
                remove(layout);
            } else {
                tell(nowNanos, layout);
            }
        }
    }

    /** The changes of files that exclude layouts. */
    public FileChangeWindows changes() {
        return changes;
    }

    /** FREE_STATEID; LOCKS_HELD unless the layout was revoked. */
    void free(LayoutState layout) throws Nfs4Exception {
        if (!layout.isRevoked()) {
            throw Nfs4Exception.of(Nfs4Status.LOCKS_HELD);
        }
        remove(layout);
    }

    private void revoke(LayoutState layout) {
        recalled.remove(layout, layout);
        leaveFile(layout);
        lost.computeIfAbsent(layout.key(), _ -> new HashMap<>(2)).put(layout.client(), layout);
        layout.revoke();
        revoked.add(layout);
        revocations++;
        fences.begin(layout);
    }

    /** Ends the layout of a client that is gone, and may not know it. */
    private void end(LayoutState layout) {
        boolean wasRevoked = layout.isRevoked();
        remove(layout);
        if (!wasRevoked) {
            fences.begin(layout);
        }
    }

    /** DELAY while data servers may still take a layout of the file whose client is gone or has lost it. */
    public void requireFenced(long nowNanos, FileKey file) throws Nfs4Exception {
        if (byFile.isEmpty() && fences.isIdle()) {
            return;
        }
        endGone(file);
        if (fences.isUnderWay(nowNanos, file)) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
    }

    /** Ends the layouts of a file whose clients are gone. Looks at the fewer: these clients, or all of the file. */
    private void endGone(FileKey file) {
        Rotation<Client, LayoutState> held = byFile.get(file);
        if (held == null || gone.isEmpty()) {
            return;
        }
        if (gone.size() < held.size()) {
            for (Client client : List.copyOf(gone)) {
                LayoutState layout = heldBy(client, file);
                if (layout != null) {
                    end(layout);
                }
            }
            return;
        }
        for (LayoutState layout : List.copyOf(held.values())) {
            if (layout.client().isGone()) {
                end(layout);
            }
        }
    }

    /** Called when a client is removed. Its layouts end when somebody meets them, or when its opens are freed. */
    public void depart(Client client) {
        if (byClient.containsKey(client)) {
            gone.add(client);
        }
    }

    /** Says how layouts that end without their client are fenced. To be called before clients come. */
    public void setFencing(Fencing fencing) {
        fences.set(fencing);
    }

    /**
     * Notes that a client has closed or returned a file. If {@code isHeld} is false it has the file no more, and its
     * layout ends (logr_return_on_close).
     */
    public void left(Client client, FileKey file, BooleanSupplier isHeld) {
        LayoutState layout = byFile.isEmpty() && lost.isEmpty() ? null : heldBy(client, file);
        if (layout == null || isHeld.getAsBoolean()) {
            return;
        }
        if (client.isGone()) {
            end(layout);
        } else {
            remove(layout);
        }
    }

    private void remove(LayoutState layout) {
        recalled.remove(layout, layout);
        revoked.remove(layout);
        if (states.byNumber(layout.number()) == layout) {
            count--;
        }
        states.leave(layout);
        leaveFile(layout);
        lost.computeIfPresent(layout.key(), (_, held) -> {
            held.remove(layout.client(), layout);
            return held.isEmpty() ? null : held;
        });
        byClient.computeIfPresent(layout.client(), (_, held) -> {
            held.remove(layout.number());
            return held.isEmpty() ? null : held;
        });
        if (!byClient.containsKey(layout.client())) {
            gone.remove(layout.client());
        }
    }

    private void leaveFile(LayoutState layout) {
        byFile.computeIfPresent(layout.key(), (_, held) -> {
            held.remove(layout.client(), layout);
            return held.isEmpty() ? null : held;
        });
    }

    /** The layouts of a client, including revoked ones until they are freed or forgotten. */
    public Collection<LayoutState> of(Client client) {
        Map<Long, LayoutState> held = byClient.get(client);
        return held == null ? List.of() : held.values();
    }

    /** True if a reply to the client has to tell it that layouts were revoked. It does so now. */
    public boolean tellOfRevoked(long nowNanos, Client client) {
        return revoked.tell(nowNanos, client);
    }

    /**
     * Revokes layouts that were recalled and not returned within a lease, and forgets revoked ones in time.
     *
     * @param most how many of each to look at
     * @return true if there are more to look at
     */
    public boolean sweep(long nowNanos, int most) {
        for (LayoutState layout : recalled.nextOfRound(most)) {
            if (layout.isOverdue(nowNanos, leaseNanos)) {
                revoke(layout);
            }
        }
        fences.sweep(nowNanos);
        List<LayoutState> settled = revoked.settled(nowNanos, leaseNanos, most);
        settled.forEach(this::remove);
        changes.sweep(nowNanos);
        return recalled.isInRound() || settled.size() == most;
    }

    /** Numbers of layouts, and events since the start. */
    public LayoutCounts counts() {
        return new LayoutCounts(count, granted, sent, revocations);
    }
}
