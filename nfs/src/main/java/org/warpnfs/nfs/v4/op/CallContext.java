package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.io.ReadMemory;
import org.warpnfs.nfs.v4.attr.AttributeSource;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.attr.ServerFacts;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.payload.Payload;

/**
 * The context of one COMPOUND for its operations: its filehandles ({@link CurrentFiles}), the caller in their exports
 * ({@link Admissions}), the client ({@link CallingClient}), the effects of the operations so far ({@link Effects}), and
 * memory to read into. For one thread.
 */
public final class CallContext {
    private final Nfs4Services services;
    private final ServerFacts facts;
    private final int minorVersion;
    private final int operationCount;
    private final int maxInlineBytes;
    private final int maxRangeBytes;
    private final Admissions admissions;
    private final CurrentFiles files;
    private final CallingClient calling;
    private final ReplyRoom room;
    private final Effects effects = new Effects();
    private final ReadMemory memory = new ReadMemory();
    private int operationIndex;
    private boolean mustNotWait;
    private @Nullable OwnerTurn turn;

    /** @param operationCount number of operations that the COMPOUND claims */
    public CallContext(Nfs4Services services, CompoundOrigin origin, int minorVersion, int operationCount) {
        this.services = services;
        this.facts = services.facts().forOneCall();
        this.minorVersion = minorVersion;
        this.operationCount = operationCount;
        this.maxInlineBytes = origin.maxInlineBytes();
        this.maxRangeBytes = origin.maxRangeBytes();
        this.admissions = new Admissions(origin.requester());
        this.files = new CurrentFiles(admissions, minorVersion);
        this.calling = new CallingClient(services, origin, minorVersion);
        this.room = new ReplyRoom(services.state().limits().maxReplyBytes(), origin.replyOverheadBytes(), calling);
    }

    Nfs4Services services() {
        return services;
    }

    int minorVersion() {
        return minorVersion;
    }

    int operationCount() {
        return operationCount;
    }

    public boolean isLastOperation() {
        return operationsAfter() == 0;
    }

    /** How many operations follow the present one. */
    int operationsAfter() {
        return operationCount - 1 - operationIndex;
    }

    long nowNanos() {
        return services.clockNanos().getAsLong();
    }

    Admissions admissions() {
        return admissions;
    }

    CurrentFiles files() {
        return files;
    }

    public CallingClient calling() {
        return calling;
    }

    public Effects effects() {
        return effects;
    }

    /** Memory for the data that the next operation reads. */
    public ReadMemory memory() {
        return memory;
    }

    /** Begins the next operation. */
    public void advanceTo(int index) {
        operationIndex = index;
        effects.next();
    }

    /** Says which operation is executed next. */
    public void begin(Operation operation) {
        effects.begins(operation);
        if (!operation.keepsAttributes()) {
            files.forgetAttributes();
        }
    }

    /** True if the present thread is an event loop. An operation that would wait there is {@link Postponed}. */
    boolean mustNotWait() {
        return mustNotWait;
    }

    /** Says whether the present thread is an event loop. */
    public void setMustNotWait(boolean isEventLoop) {
        mustNotWait = isEventLoop;
    }

    /** The room of the reply. */
    public ReplyRoom room() {
        return room;
    }

    /**
     * The most that one READ, or one READ_PLUS, may read: as much as fits into the reply. A client asks for the rest
     * again. 0 if nothing fits, and then the operation is REP_TOO_BIG.
     *
     * @param roomBytes room of the reply for the data
     */
    public int maxReadBytes(boolean inline, long roomBytes) {
        int maxBytes = services.facts().maxReadBytes();
        return Math.clamp(roomBytes & -Integer.BYTES, 0, inline ? Math.min(maxBytes, maxInlineBytes) : maxBytes);
    }

    /** How many bytes the result of the present operation may still have. */
    long roomBytes(CompoundWriter out) {
        return room.left(out, isLastOperation());
    }

    /** Checks that the result of the present operation may have {@code moreBytes}. */
    void requireRoom(CompoundWriter out, long moreBytes) throws Nfs4Exception {
        room.require(out.sizeBytes() + moreBytes, isLastOperation());
    }

    /**
     * The most bytes that a list may have: what the client asks for, or less if the reply has no room for that.
     *
     * @param askedBytes at least {@code leastBytes}
     * @param leastBytes length of a list without entries
     * @throws Nfs4Exception REP_TOO_BIG if there is no room for a list
     */
    int maxListBytes(long askedBytes, int leastBytes, CompoundWriter out) throws Nfs4Exception {
        requireRoom(out, leastBytes);
        long most = Math.min(askedBytes, services.facts().maxReadBytes());
        return (int) Math.min(most, roomBytes(out));
    }

    /**
     * The status for a list of which not even the first entry fits.
     *
     * @param askedBytes the length that the client asked for
     * @param mostBytes as {@link #maxListBytes} said
     */
    Nfs4Exception tooSmall(long askedBytes, int mostBytes, CompoundWriter out) throws Nfs4Exception {
        if (mostBytes < Math.min(askedBytes, services.facts().maxReadBytes())) {
            requireRoom(out, mostBytes + Integer.BYTES);
        }
        return Nfs4Exception.of(Nfs4Status.TOOSMALL);
    }

    /** The longest file range that the next payload of the reply may be; 0 if it must be in memory. */
    int maxRangeBytes(CompoundWriter out) {
        return out.holdsPayloads() ? 0 : maxRangeBytes;
    }

    /**
     * Whether a READ begins without memory, because its data may be sent from where the backend has them.
     *
     * @param memoryBytes the memory that it takes otherwise
     */
    public boolean triesInPlace(int memoryBytes, CompoundWriter out) {
        Location file = files.currentOrNull();
        return file != null
                && FileData.mayBeInPlace(
                        memoryBytes, maxRangeBytes(out), file.fileSystem().limits());
    }

    /**
     * Takes the memory that was acquired before the operation began, or fails with DELAY. The memory then belongs to
     * the caller.
     */
    Payload takeMemory(int lengthBytes) throws Nfs4Exception {
        Payload taken = memory.take(lengthBytes);
        if (taken == null) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        return taken;
    }

    void setTurn(OwnerTurn begun) {
        turn = begun;
    }

    /** The turn that the operation has taken; null if none. */
    @Nullable
    OwnerTurn turn() {
        return turn;
    }

    /** Ends the operation's turn with the operation's result, which was written from {@code body} on. */
    public void endTurn(Nfs4Status status, CompoundWriter out, int body) {
        OwnerTurn taken = turn;
        turn = null;
        if (taken != null) {
            OwnerSequence.end(this, taken, status, out.toByteArray(body));
        }
    }

    /** Names of users and groups. */
    OwnerNames owners() {
        return facts.owners();
    }

    /** The attributes in supported_attrs of a file. */
    BitSet supported(Location file) {
        return Attributes.supported(
                minorVersion,
                file.fileSystem().limits(),
                facts.layouts() && file.export().traits().layouts());
    }

    /** The source from which the attributes of {@code location} are encoded. */
    AttributeSource source(BitSet asked, Location location, FileAttributes attributes) throws FsException {
        long mountedOn =
                asked.get(Attributes.MOUNTED_ON_FILEID) ? mountedOnFileId(location, attributes) : attributes.fileId();
        return source(location, attributes, mountedOn);
    }

    AttributeSource source(Location location, FileAttributes attributes, long mountedOnFileId) {
        return new AttributeSource(minorVersion, facts, services.handles(), location, attributes, mountedOnFileId);
    }

    private long mountedOnFileId(Location location, FileAttributes attributes) throws FsException {
        var path = location.export().path();
        if (location.export().isPseudo() || path.isRoot() || !location.isExportRoot()) {
            return attributes.fileId();
        }
        return services.exports().mountedOnFileId(location.export());
    }
}
