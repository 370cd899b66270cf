package org.warpnfs.nfs.v4.op;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.v4.attr.AttributeSource;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.attr.ServerFacts;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.nfs.v4.xdr.XdrWriter;
import org.warpnfs.payload.Payload;

/** One COMPOUND on its way: who calls, and what the operations so far have left for the next. For one thread. */
public final class CallContext {
    private final Nfs4Services services;
    private final ServerFacts facts;
    private final Caller4 caller;
    private final int minorVersion;
    private final int operationCount;

    private int operationIndex;
    private @Nullable Location current;
    private @Nullable Location saved;
    private Stateid currentStateid = Stateid.ANONYMOUS;
    private Stateid savedStateid = Stateid.ANONYMOUS;
    private @Nullable SequenceOutcome sequence;
    private boolean cacheReply;
    private boolean connectionBound;
    private boolean changing;
    private boolean repeatable;
    private Effect effect = Effect.NONE;
    private @Nullable Client confirmed;
    private @Nullable OwnerTurn turn;
    private @Nullable Payload payload;
    /** Of NFSv4.0, whose requests say no more than once each whose they are; the one that was named last is last. */
    private final List<Client> sessionless = new ArrayList<>(1);
    /** The exports that have taken the call so far. */
    private final List<Admitted> admissions = new ArrayList<>(1);

    private record Admitted(Export export, Admission admission) {}

    /**
     * Who calls, and by which way.
     *
     * @param connection the transport's instance
     * @param maxInlineBytes how much data that are not DDP-eligible the transport should have in one reply
     */
    public record Caller4(Requester requester, Principal principal, Object connection, int maxInlineBytes) {}

    /**
     * @param operationCount how many operations the COMPOUND claims
     */
    public CallContext(Nfs4Services services, Caller4 caller, int minorVersion, int operationCount) {
        this.services = services;
        this.facts = services.facts().forOneCall();
        this.caller = caller;
        this.minorVersion = minorVersion;
        this.operationCount = operationCount;
    }

    Nfs4Services services() {
        return services;
    }

    int minorVersion() {
        return minorVersion;
    }

    Principal principal() {
        return caller.principal();
    }

    Object connection() {
        return caller.connection();
    }

    /** The connection may carry callbacks from now on. */
    void connectionBound() {
        connectionBound = true;
    }

    /** True if the back channel has to be tried once the reply is on its way. */
    public boolean isConnectionBound() {
        return connectionBound;
    }

    /** An NFSv4.0 client may be called back from now on, where it said. */
    void confirmed(Client client) {
        confirmed = client;
    }

    /** Who has to be tried once the reply is on its way; null if nobody. */
    public @Nullable Client confirmed() {
        return confirmed;
    }

    int operationCount() {
        return operationCount;
    }

    long nowNanos() {
        return services.clockNanos().getAsLong();
    }

    /** The next operation begins. */
    public void advanceTo(int index) {
        operationIndex = index;
        changing = false;
    }

    /** It is about to be executed. */
    public void begins(Operation operation) {
        changing = operation.isChanging();
        repeatable = operation.isRepeatable();
    }

    /** The operation has ended, whether it was executed or not. */
    public void ended(Nfs4Status status) {
        if (changing) {
            effect = effect.then(status, repeatable);
        }
    }

    /** How much one READ, or one READ_PLUS, may read. */
    public int maxReadBytes(boolean inline) {
        int maxBytes = services.facts().maxReadBytes();
        return inline ? Math.min(maxBytes, caller.maxInlineBytes()) : maxBytes;
    }

    /** Memory for the data that the next operation reads; null if none is to be had. */
    public void givePayload(@Nullable Payload given) {
        payload = given;
    }

    public boolean hasPayload() {
        return payload != null;
    }

    /** Gives back the memory that the operation did not take. */
    public void releasePayload() {
        Payload left = payload;
        payload = null;
        if (left != null) {
            left.release();
        }
    }

    /** The memory that was looked for before the operation began, or DELAY. Whoever takes it owns it. */
    Payload takePayload() throws Nfs4Exception {
        Payload taken = payload;
        payload = null;
        if (taken == null) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
        return taken;
    }

    /** What the operations so far have done together. */
    public Effect effect() {
        return effect;
    }

    boolean isLastOperation() {
        return operationIndex == operationCount - 1;
    }

    /** What SEQUENCE found, or null before it. */
    public @Nullable SequenceOutcome sequence() {
        return sequence;
    }

    void setSequence(SequenceOutcome outcome, boolean cacheThis) {
        sequence = outcome;
        cacheReply = cacheThis;
    }

    /** sa_cachethis. */
    public boolean cacheReply() {
        return cacheReply;
    }

    @Nullable
    Session session() {
        return sequence == null ? null : sequence.session();
    }

    /** Whose session it is, or without one whom the operation has named; OP_NOT_IN_SESSION if neither. */
    Client client() throws Nfs4Exception {
        Client client = clientOrNull();
        if (client == null) {
            throw Nfs4Exception.of(Nfs4Status.OP_NOT_IN_SESSION);
        }
        return client;
    }

    /** Who calls, as far as it is known: without a session, whom an operation before has named. */
    @Nullable
    Client clientOrNull() {
        if (sequence != null) {
            return sequence.session().client();
        }
        return sessionless.isEmpty() ? null : sessionless.getLast();
    }

    /** Whose state it is: the session's client, or else the one that was given the stateid. */
    Client clientOf(Stateid stateid) throws Nfs4Exception {
        return minorVersion == 0 ? engage(services.state().clientids().begin(nowNanos(), stateid)) : client();
    }

    /** As {@link #clientOf}, null for an anonymous stateid outside of a session. */
    @Nullable
    Client clientOfIo(Stateid stateid) throws Nfs4Exception {
        return minorVersion == 0 && stateid.isAnonymous() ? null : clientOf(stateid);
    }

    /** The client of that id, or, in a session, the session's: there the id in an argument says nothing (RFC 8881 section 18.16.3). */
    Client clientById(long id) throws Nfs4Exception {
        return minorVersion == 0 ? engage(services.state().clientids().begin(nowNanos(), id)) : client();
    }

    private Client engage(Client client) {
        sessionless.add(client);
        return client;
    }

    /** The COMPOUND is over: the leases of those whom it kept alive run from now on. */
    public void end() {
        if (minorVersion == 0) {
            services.state().clientids().end(nowNanos(), sessionless);
            sessionless.clear();
        }
    }

    void setTurn(OwnerTurn begun) {
        turn = begun;
    }

    /** The turn that an operation has taken; null if none. */
    @Nullable
    OwnerTurn turn() {
        return turn;
    }

    /** The operation is over, with what it has written since {@code body}. */
    public void endTurn(Nfs4Status status, XdrWriter out, int body) {
        OwnerTurn taken = turn;
        turn = null;
        if (taken != null) {
            OwnerSequence.end(this, taken, status, out.toByteArray(body));
        }
    }

    InetAddress address() {
        return caller.requester().address();
    }

    @Nullable
    Location currentOrNull() {
        return current;
    }

    /** The current filehandle, or NOFILEHANDLE. */
    Location current() throws Nfs4Exception {
        if (current == null) {
            throw Nfs4Exception.of(Nfs4Status.NOFILEHANDLE);
        }
        return current;
    }

    boolean hasSaved() {
        return saved != null;
    }

    /** The saved filehandle, or NOFILEHANDLE. */
    Location saved() throws Nfs4Exception {
        if (saved == null) {
            throw Nfs4Exception.of(Nfs4Status.NOFILEHANDLE);
        }
        return saved;
    }

    /**
     * A new current filehandle comes without a stateid (RFC 8881 section 16.2.3.1.2). Every operation comes to every file through here, and
     * so past the policy of its export.
     */
    void setCurrent(Location location) throws Nfs4Exception {
        admit(location);
        current = location;
        currentStateid = Stateid.ANONYMOUS;
    }

    /** SECINFO uses the current filehandle up. */
    void clearCurrent() {
        current = null;
        currentStateid = Stateid.ANONYMOUS;
    }

    void setCurrentStateid(Stateid stateid) {
        currentStateid = stateid;
    }

    void save() throws Nfs4Exception {
        saved = current();
        savedStateid = currentStateid;
    }

    void restore() throws Nfs4Exception {
        current = saved();
        currentStateid = savedStateid;
    }

    /** The stateid that an argument means. */
    Stateid resolve(Stateid argument) throws Nfs4Exception {
        Stateid meant = minorVersion > 0 && argument.equals(Stateid.CURRENT) ? currentStateid : argument;
        if (meant.isSpecial() && !meant.isAnonymous()) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return meant;
    }

    /** As {@link #resolve}, of the saved filehandle's stateid. */
    Stateid resolveSaved(Stateid argument) throws Nfs4Exception {
        return minorVersion > 0 && argument.equals(Stateid.CURRENT) ? resolve(savedStateid) : resolve(argument);
    }

    /** Who calls, as the export of {@code location} sees it. */
    Caller callerAt(Location location) {
        return admissionTo(location).caller();
    }

    /** True if the caller may change nothing in the export of {@code location}. */
    boolean isReadOnly(Location location) {
        return admissionTo(location).readOnly();
    }

    private Admission admissionTo(Location location) {
        for (Admitted admitted : admissions) {
            if (admitted.export().equals(location.export())) {
                return admitted.admission();
            }
        }
        throw new IllegalStateException("nobody asked whether the call may come to " + location.export());
    }

    /** Asks once for a COMPOUND, so that no operation is judged in two ways. */
    private void admit(Location location) throws Nfs4Exception {
        Export export = location.export();
        for (Admitted admitted : admissions) {
            if (admitted.export().equals(export)) {
                return;
            }
        }
        try {
            admissions.add(new Admitted(export, export.admit(caller.requester())));
        } catch (ExportDenial e) {
            throw Nfs4Exception.of(
                    switch (e.reason()) {
                        case HOST -> Nfs4Status.ACCESS;
                        case PORT -> Nfs4Status.PERM;
                        case FLAVOR -> Nfs4Status.WRONGSEC;
                        case PENDING -> Nfs4Status.DELAY;
                    });
        }
    }

    /** True if the files of the location are elsewhere: clients are led there. */
    static boolean isAbsent(Location location) {
        return location.export().traits().locations().isReferral();
    }

    boolean isCurrentAbsent() {
        return current != null && isAbsent(current);
    }

    /** Which credentials are taken from the caller's host there, the best first. */
    List<Flavor> flavorsAt(Location location) throws FsException {
        return location.export().flavorsFor(caller.requester().address());
    }

    /** True if the caller's host is served there at all. */
    boolean isShown(Location location) throws FsException {
        return location.export().isFor(caller.requester().address());
    }

    /** Whom the names of users and groups mean. */
    OwnerNames owners() {
        return facts.owners();
    }

    static FileSystem fileSystem(Location location) {
        return location.export().fileSystem();
    }

    static FileKey keyOf(Location location) {
        return FileKey.of(location.identity());
    }

    static FileAttributes attributes(Location location) throws FsException {
        return fileSystem(location).attributes(location.file());
    }

    /** ROFS on an export that is read-only for the caller. */
    void requireWritable(Location location) throws Nfs4Exception {
        if (isReadOnly(location)) {
            throw Nfs4Exception.of(Nfs4Status.ROFS);
        }
    }

    /** Where the attributes of {@code location} are encoded from. */
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
