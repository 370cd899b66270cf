package org.warpnfs.nfs.v4.op;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.v4.state.callback.ReferringCall;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.client.Slot;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.MachineCredential;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * The NFSv4 client of one COMPOUND. Its session determines it. In NFSv4.0, which has no sessions, each operation with a
 * client id or a stateid does. For one thread.
 */
public final class CallingClient {
    private final Nfs4Services services;
    private final CompoundOrigin origin;
    private final int minorVersion;
    private @Nullable SequenceOutcome sequence;
    private boolean cacheReply;
    private boolean connectionBound;
    private @Nullable Session changed;
    private @Nullable Client confirmed;

    /** Clients that operations of NFSv4.0 have named, in that order. */
    private final List<Client> sessionless = new ArrayList<>(1);

    CallingClient(Nfs4Services services, CompoundOrigin origin, int minorVersion) {
        this.services = services;
        this.origin = origin;
        this.minorVersion = minorVersion;
    }

    Principal principal() {
        return origin.principal();
    }

    /** The caller, as one that introduces a client. */
    Sender sender() {
        Requester requester = origin.requester();
        return new Sender(principal(), ClientAddress.of(requester.address()), requester.security());
    }

    Object connection() {
        return origin.connection();
    }

    InetAddress address() {
        return origin.requester().address();
    }

    /** True if the call is protected by integrity or privacy, as a machine credential has to be. */
    boolean isProtected() {
        Flavor flavor = origin.requester().identity().flavor();
        return flavor == Flavor.KRB5I || flavor == Flavor.KRB5P;
    }

    /**
     * Checks that the call has the client's machine credential, if the client reserves the operation for it.
     *
     * @throws Nfs4Exception WRONG_CRED if it has another one (RFC 8881, section 2.10.8.3)
     */
    void requireMachineCredential(Client client, OpCode operation) throws Nfs4Exception {
        MachineCredential machine = client.machine();
        boolean isReserved = machine != null && machine.enforces(operation.number());
        if (isReserved && !(isProtected() && client.principal().equals(principal()))) {
            throw Nfs4Exception.of(Nfs4Status.WRONG_CRED);
        }
    }

    /** The outcome of SEQUENCE, or null before it. */
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

    /** The request in its slot, to which callbacks about what it is granted refer; null without a session. */
    @Nullable
    ReferringCall referring() {
        return sequence instanceof SequenceOutcome.Execute(var _, Slot slot) ? slot.referring() : null;
    }

    /**
     * The session's client, or, without a session, the client that was named last; OP_NOT_IN_SESSION if there is
     * neither.
     */
    Client client() throws Nfs4Exception {
        Client client = clientOrNull();
        if (client == null) {
            throw Nfs4Exception.of(Nfs4Status.OP_NOT_IN_SESSION);
        }
        return client;
    }

    /** The session's client, or, without a session, the client that was named last, if any. */
    @Nullable
    Client clientOrNull() {
        if (sequence != null) {
            return sequence.session().client();
        }
        return sessionless.isEmpty() ? null : sessionless.getLast();
    }

    /** The session's client, or, without a session, the client that the stateid was given to. */
    Client clientOf(Stateid stateid) throws Nfs4Exception {
        return minorVersion == 0 ? engage(services.state().clientids().begin(nowNanos(), stateid)) : client();
    }

    /** The client of {@link #clientOf}, or null for an anonymous stateid without a session. */
    @Nullable
    Client clientOfIo(Stateid stateid) throws Nfs4Exception {
        return minorVersion == 0 && stateid.isAnonymous() ? null : clientOf(stateid);
    }

    /**
     * The session's client, or, without a session, the client of that id. In a session, the client id of an argument is
     * ignored (RFC 8881, section 18.16.3).
     */
    Client clientById(long id) throws Nfs4Exception {
        return minorVersion == 0 ? engage(services.state().clientids().begin(nowNanos(), id)) : client();
    }

    private Client engage(Client client) {
        sessionless.add(client);
        return client;
    }

    /** Ends the COMPOUND. The leases of the clients that it kept alive start again. */
    public void end() {
        if (minorVersion == 0) {
            services.state().clientids().end(nowNanos(), sessionless);
            sessionless.clear();
        }
    }

    /** Notes that the connection may now carry callbacks. */
    void connectionBound() {
        connectionBound = true;
    }

    /** True if the back channel has to be tested once the reply has been sent. */
    public boolean isConnectionBound() {
        return connectionBound;
    }

    /** Notes that the back channel of a session has to be tested on all its connections. */
    void changed(Session session) {
        changed = session;
    }

    /** The session whose back channel has to be tested once the reply has been sent; null if there is none. */
    public @Nullable Session changed() {
        return changed;
    }

    /** Notes that an NFSv4.0 client may now be called back at its address. */
    void confirmed(Client client) {
        confirmed = client;
    }

    /** The client whose callback address has to be tested once the reply has been sent; null if there is none. */
    public @Nullable Client confirmed() {
        return confirmed;
    }

    private long nowNanos() {
        return services.clockNanos().getAsLong();
    }
}
