package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;

/** Accepts every client of rping, and disconnects those that have been silent for too long. */
final class PingListener implements ConnectionRequestHandler {
    private final ServerPlan plan;
    private final ClientLog log;
    private final Set<PingServer> clients = ConcurrentHashMap.newKeySet();

    PingListener(ServerPlan plan, ClientLog log) {
        this.plan = plan;
        this.log = log;
    }

    @Override
    public void connectionRequested(ConnectionRequest request) {
        PingServer client = new PingServer(plan, request.remoteAddress(), this::ended);
        clients.add(client);
        request.accept(new ConnectOptions(ByteBuffer.allocate(0), 1, 1), client);
    }

    private void ended(PingServer client, boolean well, String line) {
        clients.remove(client);
        log.ended(well, line);
    }

    /** Disconnects silent clients; called on any thread. */
    void lookForSilence(long nowNanos) {
        clients.forEach(client -> client.lookForSilence(nowNanos));
    }
}
