package org.warpnfs.nfs.v4.state;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * How clients of NFSv4.0 come by their client ids. A record of {@link ClientTable} each, confirmed or not (RFC 7530 sections 16.33.5 and
 * 16.34.5):
 *
 * <pre>
 *   SETCLIENTID finds       verifier  principal  outcome
 *   nothing                 -         -          a new unconfirmed record
 *   an unconfirmed record   -         -          replaced by a new one
 *   a confirmed record      same      same       the same id, its new callback waits for confirmation
 *   a confirmed record      other     same       a new unconfirmed record beside it: the client restarted
 *   a confirmed record      -         other      CLID_INUSE while it has a lease and state, else as nothing
 *
 *   SETCLIENTID_CONFIRM finds by id        its verifier            outcome
 *   an unconfirmed record                  same                    confirmed; the one it replaces goes with all its state
 *   a confirmed record, a callback waits   of that callback        the new callback holds
 *   a confirmed record                     confirmed it before     nothing: a repetition
 *   any                                    another                 STALE_CLIENTID
 * </pre>
 *
 * Guarded by the lock of {@link StateTable}.
 */
final class ClientidTable {
    private final ClientTable clients;
    private final SecureRandom random = new SecureRandom();

    ClientidTable(ClientTable clients) {
        this.clients = clients;
    }

    /** SETCLIENTID. */
    GivenClientid setClientid(
            long nowNanos,
            Opaque name,
            long verifier,
            Principal principal,
            @Nullable CallbackAddress callback,
            ClientAddress address)
            throws Nfs4Exception {
        Client old = clients.takenBy(nowNanos, name, principal, true);
        long confirmVerifier = random.nextLong();
        if (old != null && old.verifier() == verifier) {
            clients.removeUnconfirmed(name);
            old.callbackUpdate = new CallbackUpdate(confirmVerifier, callback);
            return new GivenClientid(old.id(), confirmVerifier);
        }
        clients.removeUnconfirmed(name);
        Client client = clients.newClient(nowNanos, name, verifier, principal, true, address);
        client.confirmVerifier = confirmVerifier;
        client.callbackUpdate = new CallbackUpdate(confirmVerifier, callback);
        return new GivenClientid(client.id(), confirmVerifier);
    }

    /** SETCLIENTID_CONFIRM. */
    Client confirm(long nowNanos, long id, long confirmVerifier, Principal principal) throws Nfs4Exception {
        Client client = clients.byId(id);
        if (client == null || !client.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        if (!client.principal().equals(principal)) {
            throw Nfs4Exception.of(Nfs4Status.CLID_INUSE);
        }
        CallbackUpdate update = client.callbackUpdate;
        if (update != null && update.confirmVerifier() == confirmVerifier) {
            clients.confirm(client);
            client.callbackUpdate = null;
            client.confirmVerifier = confirmVerifier;
            clients.callAt(client, update.address());
        } else if (!client.confirmed || client.confirmVerifier != confirmVerifier) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        clients.renew(client, nowNanos);
        return client;
    }

    /** A client by the id in its request: STALE_CLIENTID if it is of another instance or not confirmed, EXPIRED if it was let go. */
    Client require(long id) throws Nfs4Exception {
        Client client = clients.byId(id);
        if (client != null && client.isSessionless() && client.confirmed) {
            return client;
        }
        boolean letGo = client == null && clients.isOfThisInstance(id);
        throw Nfs4Exception.of(letGo ? Nfs4Status.EXPIRED : Nfs4Status.STALE_CLIENTID);
    }
}
