package org.warpnfs.nfs.v4.state.callback;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;

/** How NFSv4.0 clients are called back that have said so. Guarded by the lock of the state. */
public final class DialedPaths {
    private final Consumer<CallbackCall> outbox;
    private final Map<Client, DialedPath> paths = new HashMap<>();

    /** @param outbox takes callbacks; they are sent without the lock */
    public DialedPaths(Consumer<CallbackCall> outbox) {
        this.outbox = outbox;
    }

    /**
     * SETCLIENTID_CONFIRM: an NFSv4.0 client is called back there from now on, once it has answered; what was under way
     * counts as not sent.
     *
     * @param address null for nowhere
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

    /** Where a call went; null if that is nowhere that is known here. */
    public @Nullable DialedPath of(CallbackCall.Dialed target) {
        return target.path();
    }

    /** A client is gone; its recalls that are under way count as not sent. */
    public void depart(Client client) {
        callAt(client, null);
    }

    /** Null if it has not said where. */
    public @Nullable DialedPath of(Client client) {
        return paths.get(client);
    }
}
