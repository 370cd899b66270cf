package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.Recallable;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * The layouts of one client of one file (RFC 8881, section 12.5): one stateid for one to read, one to write, or both,
 * each of the whole file.
 *
 * <pre>
 *   state     event                                     next
 *   -         LAYOUTGET                                 HELD
 *   HELD      another client changes the file           RECALLED
 *   RECALLED  not returned within a lease               REVOKED
 *   HELD, RECALLED  LAYOUTRETURN of all, or the client has the file neither open nor delegated any more   -
 *   REVOKED   FREE_STATEID, or likewise, or the client was told for a lease   -
 * </pre>
 *
 * Guarded by the lock of the state.
 */
public final class LayoutState implements StateEntry, Recallable {
    private enum Phase {
        HELD,
        RECALLED,
        REVOKED
    }

    /** What the client has been told of a recall. */
    private enum Notice {
        DUE,
        ASKED,
        ACKNOWLEDGED
    }

    private final Client client;
    private final FileKey key;
    private final FileSystem fileSystem;
    private final Stateid first;
    private final Opaque wireHandle;
    private final long fenceKey;
    private int seqid;
    private boolean reads;
    private boolean writes;
    private Phase phase = Phase.HELD;
    private Notice notice = Notice.DUE;
    private long recalledNanos;
    private long askedNanos;
    private boolean isLacked;
    private @Nullable ReferringCall grantedTo;
    private boolean wasRefused;

    /** @param first its first stateid; the seqid goes up with each layout that is granted */
    LayoutState(LayoutRequest request, Stateid first) {
        this.client = request.client();
        this.key = request.file();
        this.fileSystem = request.fileSystem();
        this.first = first;
        this.wireHandle = request.wireHandle();
        this.fenceKey = request.fenceKey();
        this.seqid = 0;
    }

    @Override
    public Client client() {
        return client;
    }

    @Override
    public FileKey key() {
        return key;
    }

    @Override
    public long number() {
        return first.number();
    }

    @Override
    public int seqid() {
        return seqid;
    }

    @Override
    public Stateid stateid() {
        return first.withSeqid(seqid);
    }

    @Override
    public Opaque wireHandle() {
        return wireHandle;
    }

    @Override
    public CallbackCall.Operation recall() {
        return new CallbackCall.LayoutRecall(stateid(), wireHandle);
    }

    /** The file's number for {@link org.warpnfs.nfs.fence.Fencing}. */
    long fenceKey() {
        return fenceKey;
    }

    boolean isOf(FileSystem other) {
        return fileSystem == other;
    }

    boolean reads() {
        return reads;
    }

    boolean writes() {
        return writes;
    }

    boolean isRevoked() {
        return phase == Phase.REVOKED;
    }

    boolean isRecalled() {
        return phase == Phase.RECALLED;
    }

    /** True if the client says that it does not have the layout. */
    boolean isLacked() {
        return isLacked;
    }

    @Override
    public @Nullable ReferringCall grantedTo() {
        return grantedTo;
    }

    /** @param by the LAYOUTGET */
    void grant(boolean toWrite, @Nullable ReferringCall by) {
        grantedTo = by;
        reads |= !toWrite;
        writes |= toWrite;
        step();
    }

    /** Takes back layouts. Returns true if none is left. */
    boolean giveBack(boolean ofReading, boolean ofWriting) {
        reads &= !ofReading;
        writes &= !ofWriting;
        step();
        return !reads && !writes;
    }

    private void step() {
        seqid = OpenState.nextSeqid(seqid);
    }

    /** Begins a recall, which is a change of the stateid too (section 12.5.5.2.1). */
    void recall(long nowNanos) {
        if (phase == Phase.HELD) {
            phase = Phase.RECALLED;
            recalledNanos = nowNanos;
            step();
        }
    }

    boolean isRecallDue(long nowNanos, long pauseNanos) {
        return phase == Phase.RECALLED
                && notice == Notice.DUE
                && (askedNanos == 0 || nowNanos - askedNanos >= pauseNanos);
    }

    @Override
    public void asked(long nowNanos) {
        notice = Notice.ASKED;
        askedNanos = nowNanos;
    }

    @Override
    public void answered(boolean acknowledged) {
        notice = acknowledged ? Notice.ACKNOWLEDGED : Notice.DUE;
    }

    /** The reply that granted the layout may still be on its way when the client says so for the first time. */
    @Override
    public void lacked() {
        isLacked = wasRefused || grantedTo == null || !grantedTo.mayBeUnanswered();
        wasRefused = true;
    }

    boolean isOverdue(long nowNanos, long leaseNanos) {
        return phase == Phase.RECALLED && nowNanos - recalledNanos > leaseNanos;
    }

    void revoke() {
        phase = Phase.REVOKED;
    }
}
