package org.warpnfs.nfs.v4.state;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackAddress;
import org.warpnfs.nfs.v4.state.client.GivenClientid;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/** Clients of NFSv4.0 and their leases: SETCLIENTID, SETCLIENTID_CONFIRM, RENEW. See {@link StateTable}. */
public final class ClientidStates {
    private final StateCore core;

    ClientidStates(StateCore core) {
        this.core = core;
    }

    /** SETCLIENTID. */
    public GivenClientid setClientid(
            long nowNanos, Opaque name, long verifier, Sender sender, @Nullable CallbackAddress callback)
            throws Nfs4Exception {
        return core.locked(() -> {
            core.sweepNowAndThen(nowNanos);
            return core.clientids.setClientid(nowNanos, name, verifier, sender, callback);
        });
    }

    /** SETCLIENTID without a client address. */
    GivenClientid setClientid(
            long nowNanos, Opaque name, long verifier, Principal principal, @Nullable CallbackAddress callback)
            throws Nfs4Exception {
        return setClientid(nowNanos, name, verifier, new Sender(principal, ClientAddress.NONE), callback);
    }

    /** SETCLIENTID_CONFIRM. */
    public Client confirm(long nowNanos, long id, long confirmVerifier, Principal principal) throws Nfs4Exception {
        return core.locked(() -> core.clientids.confirm(nowNanos, id, confirmVerifier, principal));
    }

    /**
     * Begins a request of the client with that id. Its lease cannot run out before {@link #end}.
     *
     * @throws Nfs4Exception STALE_CLIENTID if this instance of the server did not give the id out or it was not
     *     confirmed, EXPIRED if the client was removed since
     */
    public Client begin(long nowNanos, long id) throws Nfs4Exception {
        return core.locked(() -> {
            core.sweepNowAndThen(nowNanos);
            return begun(nowNanos, core.clientids.require(id));
        });
    }

    /** Begins a request of the client that a stateid belongs to; STALE_STATEID and BAD_STATEID. */
    public Client begin(long nowNanos, Stateid stateid) throws Nfs4Exception {
        return core.locked(() -> begun(nowNanos, core.states.clientOf(stateid)));
    }

    private Client begun(long nowNanos, Client client) {
        core.clients.renew(client, nowNanos);
        core.clients.began(client);
        return client;
    }

    /** Ends requests. Each client is in the list as often as a request of it began. */
    public void end(long nowNanos, List<Client> clients) {
        if (clients.isEmpty()) {
            return;
        }
        core.change(() -> {
            for (Client client : clients) {
                core.clients.ended(client, nowNanos);
            }
        });
    }
}
