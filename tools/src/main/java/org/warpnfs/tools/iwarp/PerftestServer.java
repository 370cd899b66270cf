package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/**
 * The server of perftests with {@code -R}.
 *
 * <h2>Operation</h2>
 *
 * A client connects twice or more: first the control connection, then, when that is ready, the connections that carry
 * the load. Only the client's address tells which connections belong together, so at any time one client of an address
 * may be connecting; another client of that address is taken for its second connection, as by perftest's own server.
 *
 * <p>Several connections for the load are distinguished only by the order of their requests: the client numbers them as
 * it opens them, one after the other, and names the memory of each by its number. So requests must be handled in that
 * order, and the transport has one thread. Otherwise a connection could get the credits of another.
 *
 * <h2>Buffers</h2>
 *
 * One for all clients, since its contents are not used and not secret.
 *
 * <h2>Errors</h2>
 *
 * At most {@value #MAX_CLIENTS} clients are accepted.
 */
final class PerftestServer implements ConnectionRequestHandler {
    private static final int MAX_CLIENTS = 64;
    private static final int MAX_READS = 128;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ServerPlan plan;
    private final ClientLog log;
    private final ByteBuffer payload;
    private final List<PerftestSession> sessions = new ArrayList<>();

    PerftestServer(ServerPlan plan, ClientLog log) {
        this.plan = plan;
        this.log = log;
        this.payload = ByteBuffer.allocateDirect(Math.max(plan.sizeBytes(), PerftestGreeting.CYCLE_BYTES));
    }

    @Override
    public void connectionRequested(ConnectionRequest request) {
        PerftestSession waiting = waiting(request);
        if (waiting != null) {
            request.accept(
                    new ConnectOptions(PerftestFence.offer(), MAX_READS, 0).with(extensions()), waiting.addLoad());
            return;
        }
        PerftestSession session = begin(request);
        if (session == null) {
            request.reject(ByteBuffer.wrap("too many clients".getBytes(StandardCharsets.US_ASCII)));
        } else {
            request.accept(new ConnectOptions(NOTHING, 0, 0), session);
        }
    }

    /** Returns the extensions of RFC 7306 that clients of this test may use. */
    private RdmaExtension[] extensions() {
        return switch (plan.kind()) {
            case ATOMIC_LAT -> new RdmaExtension[] {RdmaExtension.ATOMIC_OPERATIONS};
            case SEND_LAT -> new RdmaExtension[] {RdmaExtension.IMMEDIATE_DATA};
            case READ_BW, WRITE_BW, SEND_BW, PING -> new RdmaExtension[0];
        };
    }

    private synchronized @Nullable PerftestSession waiting(ConnectionRequest request) {
        for (PerftestSession session : sessions) {
            if (session.awaitsLoadFrom(request.remoteAddress().getAddress())) {
                return session;
            }
        }
        return null;
    }

    private synchronized @Nullable PerftestSession begin(ConnectionRequest request) {
        if (sessions.size() == MAX_CLIENTS) {
            return null;
        }
        PerftestSession session = new PerftestSession(plan, request.remoteAddress(), payload, this::ended);
        sessions.add(session);
        return session;
    }

    private void ended(PerftestSession session, boolean well, String line) {
        synchronized (this) {
            sessions.remove(session);
        }
        log.ended(well, line);
    }

    /** Disconnects clients that have been silent for too long before the test. */
    void lookForSilence(long nowNanos) {
        List<PerftestSession> all;
        synchronized (this) {
            all = List.copyOf(sessions);
        }
        for (PerftestSession session : all) {
            session.lookForSilence(nowNanos);
        }
    }
}
