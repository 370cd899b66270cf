package org.warpnfs.nfs.v4.state.callback;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/** Callback paths to NFSv4.0 clients that have given an address. Guarded by the lock of the state. */
public final class DialedPaths {
    private final Consumer<CallbackCall> outbox;
    private final Map<Client, DialedPath> paths = new HashMap<>();

    /** @param outbox takes callbacks; they are sent without the lock */
    public DialedPaths(Consumer<CallbackCall> outbox) {
        this.outbox = outbox;
    }

    /**
     * Sets the callback address of an NFSv4.0 client at SETCLIENTID_CONFIRM. It is used once the client has answered
     * there. Calls in progress count as not sent.
     *
     * @param address null for none
     */
    public void callAt(Client client, @Nullable CallbackAddress address) {
        DialedPath known = paths.get(client);
        if (known != null) {
            known.restart();
            if (known.isTo(address)) {
                return;
            }
        }
        if (address == null) {
            paths.remove(client);
        } else {
            paths.put(client, new DialedPath(client, address, outbox));
        }
    }

    /** The path that a call went over; null if it is no longer known. */
    public @Nullable DialedPath of(CallbackCall.Dialed target) {
        return target.path();
    }

    /** Called when a client is removed. Its recalls in progress count as not sent. */
    public void depart(Client client) {
        callAt(client, null);
    }

    /** The path to a client; null if it has given no address. */
    public @Nullable DialedPath of(Client client) {
        return paths.get(client);
    }
}
