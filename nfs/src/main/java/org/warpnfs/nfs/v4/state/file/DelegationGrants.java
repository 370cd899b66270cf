package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.callback.Recaller;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Decides which delegations clients get (RFC 8881, sections 10.4 and 10.9).
 *
 * <p>Guarded by the lock of the state, but for what says that it needs none.
 */
public final class DelegationGrants {
    /** Clients that may reclaim a delegation to write one file. */
    private static final int MAX_WRITERS = 8;

    private final StateEntries states;
    private final FileStates files;
    private final Recaller recaller;
    private final DelegationRecalls recalls;
    private final HeldDelegations held;
    private final FileChangeWindows changes;
    private long recallAnySent;
    private volatile DelegationPolicy policy = DelegationPolicy.WRITE;

    DelegationGrants(
            StateEntries states,
            FileStates files,
            Recaller recaller,
            DelegationRecalls recalls,
            HeldDelegations held,
            FileChangeWindows changes) {
        this.states = states;
        this.files = files;
        this.recaller = recaller;
        this.recalls = recalls;
        this.held = held;
        this.changes = changes;
    }

    /** Sets which delegations are granted from now on. */
    public void setPolicy(DelegationPolicy newPolicy) {
        policy = newPolicy;
    }

    /** True if clients may get delegations of directories, so that changes of directories matter. Needs no lock. */
    public boolean mayDelegateDirectories() {
        return policy.permitsDirectories();
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
                && !isHinderedNow(nowNanos, request.file())
                && !held.holds(request.client(), request.file())
                && !isUsedByOthers(request, kind);
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
        if (isHinderedNow(nowNanos, request.file())) {
            return none(DelegationGrant.Why.CONTENTION);
        }
        boolean missing = kind == DelegationKind.WRITE ? writer == null : reader == null;
        if (missing || !recaller.reaches(client) || held.holds(client, request.file())) {
            return none(DelegationGrant.Why.RESOURCE);
        }
        if (isUsedByOthers(request, kind) || wish.mayBeBroken()) {
            return none(DelegationGrant.Why.CONTENTION);
        }
        thin(nowNanos, client);
        if (!held.hasRoomFor(client)) {
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
        // Before the restart there was one.
        boolean isCrowded =
                kind == DelegationKind.WRITE && held.writersOf(request.file()).size() >= MAX_WRITERS;
        // A break that has been told of is not told of again.
        if (missing
                || isCrowded
                || wish.isBreaking()
                || held.holds(client, request.file())
                || !held.hasRoomFor(client)) {
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

    private static DelegationGrant none(DelegationGrant.Why why) {
        return new DelegationGrant.None(why);
    }

    /** True if others change the file, or may reclaim locks of it that its holder would take without asking. */
    private boolean isHinderedNow(long nowNanos, FileKey file) {
        return changes.isContended(nowNanos, file) || files.mayBeReclaimed(nowNanos);
    }

    /**
     * True if there are opens, locks or delegations that exclude a delegation of that kind. Locks exclude one to read
     * too: its holder takes shared locks without asking, and NLM locks without an open.
     */
    private boolean isUsedByOthers(OpenRequest request, DelegationKind kind) {
        FileKey file = request.file();
        if (files.busy().contains(file) || files.isLocked(file)) {
            return true;
        }
        if (kind == DelegationKind.READ) {
            return files.hasWriter(file);
        }
        return held.isHeldByOthers(file, request.client(), DelegationTable.MAX_LOOKED_AT)
                || files.isOpenByOthers(request);
    }

    /**
     * Asks a client to return half of its delegations, those that it does not use, if its address comes near its share.
     * What it returns makes room for those that it needs. It is not asked again for a while, whatever it does.
     */
    private void thin(long nowNanos, Client client) {
        if (held.shouldBeThinned(nowNanos, client)
                && recaller.recallAny(nowNanos, client, held.of(client).size() / 2)) {
            held.thinned(nowNanos, client);
            recallAnySent++;
        }
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
                wish.by(),
                reader == null ? null : reader.hold().takenByState(),
                writer == null ? null : writer.hold().takenByState());
        held.enter(delegation);
        BackendLease lease = wish.lease();
        if (lease != null) {
            lease.grantedTo(delegation);
            delegation.setLease(lease);
        }
        return delegation;
    }

    /**
     * GET_DIR_DELEGATION: a delegation without notifications, which any change of the directory by others recalls.
     * Returns null if there is none to give now.
     */
    public @Nullable Stateid grantDirectory(
            long nowNanos,
            Client client,
            FileKey directory,
            Opaque wireHandle,
            @Nullable ReferringCall by,
            FileSystem fileSystem) {
        if (!policy.permitsDirectories()
                || changes.isContended(nowNanos, directory)
                || !recaller.reaches(client)
                || held.holds(client, directory)
                || !held.hasRoomFor(client)) {
            return null;
        }
        DelegationState delegation = new DelegationState(
                client, directory, states.firstStateid(states.nextNumber()), wireHandle, by, fileSystem);
        held.enter(delegation);
        return delegation.stateid();
    }

    /** How often clients were asked to return some (CB_RECALL_ANY). */
    long recallAnySent() {
        return recallAnySent;
    }
}
