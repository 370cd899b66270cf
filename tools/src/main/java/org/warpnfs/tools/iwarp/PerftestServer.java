package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;

/**
 * The server of perftests with {@code -R}.
 *
 * <h2>Operation</h2>
 *
 * A client connects twice or more: first to agree on things, then, once that connection is ready for it, with what
 * carries the load. Nothing but the client's address tells which belong together, so of one address one client at a
 * time may be on its way there; another one that turns up meanwhile is taken for its second connection, as any server
 * of perftest would.
 *
 * <p>Of several connections for the load the order of their requests is all that tells which is which: the client
 * numbers them as it opens them, one after the other, and names the memory of each by its number. So requests must be
 * heard of in that order, and the transport has one thread. Taken for another, a connection would get the credits of
 * that other.
 *
 * <h2>Buffers</h2>
 *
 * One for all clients: what the memory holds is no secret, and nobody looks at it.
 *
 * <h2>Errors</h2>
 *
 * More clients than {@value #MAX_CLIENTS} are refused.
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
            request.accept(new ConnectOptions(PerftestFence.offer(), MAX_READS, 0), waiting.addLoad());
            return;
        }
        PerftestSession session = begin(request);
        if (session == null) {
            request.reject(ByteBuffer.wrap("too many clients".getBytes(StandardCharsets.US_ASCII)));
        } else {
            request.accept(new ConnectOptions(NOTHING, 0, 0), session);
        }
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

    /** Gives up clients that have been silent for too long on their way to the test. */
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
