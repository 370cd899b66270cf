package org.warpnfs.nfs.v4.state.file;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.callback.HolderQuery;
import org.warpnfs.nfs.v4.state.callback.Recallable;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * A delegation of a file (RFC 8881, section 10.4). Until it is recalled its client may serve from its cache what the
 * {@link DelegationKind} names.
 *
 * <pre>
 *   state     event                                          next
 *   -         granted by OPEN                                HELD
 *   HELD      what another client does conflicts             RECALLED
 *   HELD      reclaimed, but no callback would reach it      RECALLED
 *   RECALLED  not returned within a lease                    REVOKED
 *   HELD, RECALLED  DELEGRETURN                              -
 *   REVOKED   FREE_STATEID                                   -
 * </pre>
 *
 * Guarded by the lock of the state.
 */
public final class DelegationState implements StateEntry, Recallable {
    /**
     * How often the file's times may be changed within {@link #SECOND_NANOS} because others ask for attributes. Clients
     * that look at a file ask each few seconds; more often only if many do, or programs that want no cache.
     */
    private static final int MAX_TOUCHES = 16;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

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
    private final @Nullable Opaque openOwner;
    private final FileKey key;
    private final Stateid stateid;
    private final Opaque wireHandle;
    private final DelegationKind kind;
    private final boolean withTimes;
    private final @Nullable FileSystem directoryOf;
    private @Nullable BackendLease lease;
    private @Nullable SharedFile reader;
    private @Nullable SharedFile writer;
    private Phase phase = Phase.HELD;
    private Notice notice = Notice.DUE;
    private long recalledNanos;
    private long askedNanos;
    private @Nullable HolderQuery query;
    private @Nullable FileAttributes whenGranted;
    private int timesSent;
    private int touches;
    private long touchedFromNanos;
    private final @Nullable ReferringCall grantedTo;

    /**
     * Makes a delegation, and takes ownership of the files.
     *
     * @param openOwner whose OPEN got it
     * @param withTimes the client keeps the file's times too
     * @param grantedTo the OPEN, in a session
     * @param reader null if the open behind it cannot read, and likewise {@code writer}
     */
    DelegationState(
            Client client,
            Opaque openOwner,
            FileKey key,
            Stateid stateid,
            Opaque wireHandle,
            DelegationKind kind,
            boolean withTimes,
            @Nullable ReferringCall grantedTo,
            @Nullable SharedFile reader,
            @Nullable SharedFile writer) {
        this.client = client;
        this.openOwner = openOwner;
        this.key = key;
        this.stateid = stateid;
        this.wireHandle = wireHandle;
        this.kind = kind;
        this.withTimes = withTimes;
        this.directoryOf = null;
        this.grantedTo = grantedTo;
        this.reader = reader;
        this.writer = writer;
    }

    /**
     * Makes a delegation of a directory (RFC 8881, section 10.9), which holds no file.
     *
     * @param directoryOf the file system of the directory
     */
    DelegationState(
            Client client,
            FileKey key,
            Stateid stateid,
            Opaque wireHandle,
            @Nullable ReferringCall grantedTo,
            FileSystem directoryOf) {
        this.client = client;
        this.openOwner = null;
        this.key = key;
        this.stateid = stateid;
        this.wireHandle = wireHandle;
        this.kind = DelegationKind.READ;
        this.withTimes = false;
        this.grantedTo = grantedTo;
        this.directoryOf = directoryOf;
    }

    /** Notes that the client sends times of the file. */
    void sendsTimes() {
        timesSent++;
    }

    /** How often the client has sent times of the file. */
    public int timesSent() {
        return timesSent;
    }

    /**
     * Counts a change of the file's times, which others who ask for attributes cause. False if there were so many that
     * the delegation costs more than it saves.
     */
    public boolean mayTouch(long nowNanos) {
        if (touches == 0 || nowNanos - touchedFromNanos >= SECOND_NANOS) {
            touchedFromNanos = nowNanos;
            touches = 0;
        }
        if (touches == MAX_TOUCHES) {
            return false;
        }
        touches++;
        return true;
    }

    boolean isOfDirectory() {
        return directoryOf != null;
    }

    /** The open-owner whose OPEN got the delegation; null if it is of a directory. */
    @Nullable
    Opaque openOwner() {
        return openOwner;
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
        return stateid.number();
    }

    @Override
    public int seqid() {
        return stateid.seqid();
    }

    @Override
    public Stateid stateid() {
        return stateid;
    }

    @Override
    public @Nullable ReferringCall grantedTo() {
        return grantedTo;
    }

    /** The file's handle, as the client has it. */
    @Override
    public Opaque wireHandle() {
        return wireHandle;
    }

    DelegationKind kind() {
        return kind;
    }

    /** True if the client keeps the file's times too (RFC 9754, section 5). */
    boolean hasTimes() {
        return withTimes;
    }

    @Nullable
    SharedFile reader() {
        return reader;
    }

    @Nullable
    SharedFile writer() {
        return writer;
    }

    /** Any of its files; null once it was revoked. */
    @Nullable
    SharedFile file() {
        return reader != null ? reader : writer;
    }

    void setLease(BackendLease taken) {
        lease = taken;
    }

    /** Returns the lease at the backend that it had, and has no longer; null if it had none. */
    @Nullable
    BackendLease removeLease() {
        BackendLease had = lease;
        lease = null;
        return had;
    }

    /** The CB_GETATTR that was sent last; null if none was. */
    @Nullable
    HolderQuery query() {
        return query;
    }

    void setQuery(HolderQuery sent) {
        query = sent;
    }

    /** The file's attributes when the delegation was granted; null if not known. */
    public @Nullable FileAttributes whenGranted() {
        return whenGranted;
    }

    void setWhenGranted(FileAttributes attributes) {
        whenGranted = attributes;
    }

    boolean isRevoked() {
        return phase == Phase.REVOKED;
    }

    boolean isRecalled() {
        return phase == Phase.RECALLED;
    }

    void recall(long nowNanos) {
        if (phase == Phase.HELD) {
            phase = Phase.RECALLED;
            recalledNanos = nowNanos;
        }
    }

    /** If its client's time to return it begins later than now, lets it begin now. */
    void hasten(long nowNanos) {
        if (phase == Phase.RECALLED && recalledNanos - nowNanos > 0) {
            recalledNanos = nowNanos;
        }
    }

    /** Notes that the client knows without a CB_RECALL that it has to return the delegation. */
    void acknowledge() {
        notice = Notice.ACKNOWLEDGED;
    }

    /** True if a CB_RECALL should be sent now. */
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

    boolean isOverdue(long nowNanos, long leaseNanos) {
        return phase == Phase.RECALLED && nowNanos - recalledNanos > leaseNanos;
    }

    void revoke(Consumer<SharedFile> taken) {
        phase = Phase.REVOKED;
        releaseFiles(taken);
    }

    boolean isOf(FileSystem fileSystem) {
        return directoryOf == fileSystem
                || (reader != null && reader.isOf(fileSystem))
                || (writer != null && writer.isOf(fileSystem));
    }

    void releaseFiles(Consumer<SharedFile> closer) {
        if (reader != null) {
            reader.leftByState();
            closer.accept(reader);
            reader = null;
        }
        if (writer != null) {
            writer.leftByState();
            closer.accept(writer);
            writer = null;
        }
    }
}
