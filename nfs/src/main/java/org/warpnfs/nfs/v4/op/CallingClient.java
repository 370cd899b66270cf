package org.warpnfs.nfs.v4.op;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.client.SequenceOutcome;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Which client of NFSv4 one COMPOUND comes from: its session says so, or in NFSv4.0, where there are none, each
 * operation that names a client id or a stateid. For one thread.
 */
public final class CallingClient {
    private final Nfs4Services services;
    private final CompoundOrigin origin;
    private final int minorVersion;
    private @Nullable SequenceOutcome sequence;
    private boolean cacheReply;
    private boolean connectionBound;
    private @Nullable Client confirmed;

    /** Of NFSv4.0; the one that was named last is last. */
    private final List<Client> sessionless = new ArrayList<>(1);

    CallingClient(Nfs4Services services, CompoundOrigin origin, int minorVersion) {
        this.services = services;
        this.origin = origin;
        this.minorVersion = minorVersion;
    }

    Principal principal() {
        return origin.principal();
    }

    Object connection() {
        return origin.connection();
    }

    InetAddress address() {
        return origin.requester().address();
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

    /**
     * The client of that id, or, in a session, the session's: there the id in an argument says nothing (RFC 8881,
     * section 18.16.3).
     */
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

    private long nowNanos() {
        return services.clockNanos().getAsLong();
    }
}
