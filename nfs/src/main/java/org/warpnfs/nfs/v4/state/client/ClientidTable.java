package org.warpnfs.nfs.v4.state.client;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;
import org.warpnfs.nfs.v4.state.callback.DialedPaths;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Client ids of NFSv4.0. Each belongs to a record of {@link ClientTable}, confirmed or not (RFC 7530, sections 16.33.5
 * and 16.34.5):
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
 *   an unconfirmed record                  same                    confirmed; the one it replaces goes with its state
 *   a confirmed record, a callback waits   of that callback        the new callback holds
 *   a confirmed record                     confirmed it before     nothing: a repetition
 *   any                                    another                 STALE_CLIENTID
 * </pre>
 *
 * Guarded by the lock of the state.
 */
public final class ClientidTable {
    private final ClientTable clients;
    private final DialedPaths dialed;
    private final SecureRandom random = new SecureRandom();

    /** @param dialed gets the callback addresses of clients */
    public ClientidTable(ClientTable clients, DialedPaths dialed) {
        this.clients = clients;
        this.dialed = dialed;
    }

    /** SETCLIENTID. */
    public GivenClientid setClientid(
            long nowNanos, Opaque name, long verifier, Sender sender, @Nullable CallbackAddress callback)
            throws Nfs4Exception {
        ClientRecord old = clients.takenBy(nowNanos, name, verifier, sender, true);
        long confirmVerifier = random.nextLong();
        if (old != null && old.client.verifier() == verifier) {
            clients.removeUnconfirmed(name);
            old.callbackUpdate = new CallbackUpdate(confirmVerifier, callback);
            return new GivenClientid(old.client.id(), confirmVerifier);
        }
        clients.removeUnconfirmed(name);
        ClientRecord record = clients.newClient(nowNanos, name, verifier, sender, true);
        record.confirmVerifier = confirmVerifier;
        record.callbackUpdate = new CallbackUpdate(confirmVerifier, callback);
        return new GivenClientid(record.client.id(), confirmVerifier);
    }

    /** SETCLIENTID_CONFIRM. */
    public Client confirm(long nowNanos, long id, long confirmVerifier, Principal principal) throws Nfs4Exception {
        ClientRecord record = clients.recordById(id);
        if (record == null || !record.client.isSessionless()) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        Client client = record.client;
        if (!client.principal().equals(principal)) {
            throw Nfs4Exception.of(Nfs4Status.CLID_INUSE);
        }
        CallbackUpdate update = record.callbackUpdate;
        if (update != null && update.confirmVerifier() == confirmVerifier) {
            clients.confirm(record, nowNanos);
            record.callbackUpdate = null;
            record.confirmVerifier = confirmVerifier;
            dialed.callAt(client, update.address());
        } else if (!record.confirmed || record.confirmVerifier != confirmVerifier) {
            throw Nfs4Exception.of(Nfs4Status.STALE_CLIENTID);
        }
        clients.renew(client, nowNanos);
        return client;
    }

    /**
     * The client of the id in a request. STALE_CLIENTID if the id is of another instance or not confirmed, EXPIRED if
     * the client was removed.
     */
    public Client require(long id) throws Nfs4Exception {
        ClientRecord record = clients.recordById(id);
        if (record != null && record.client.isSessionless() && record.confirmed) {
            return record.client;
        }
        boolean letGo = record == null && clients.isOfThisInstance(id);
        throw Nfs4Exception.of(letGo ? Nfs4Status.EXPIRED : Nfs4Status.STALE_CLIENTID);
    }
}
