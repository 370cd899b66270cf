package org.warpnfs.nfs.v4.state.client;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.BackChannel;
import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.DialedPath;
import org.warpnfs.nfs.v4.state.callback.DialedPaths;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.callback.Recallable;
import org.warpnfs.nfs.v4.state.callback.Recaller;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Callback paths to all clients: the back channels of their sessions, or, in NFSv4.0, the addresses that they have
 * named. Guarded by the lock of the state.
 */
public final class WaysBack implements Recaller {
    /** sr_status_flags (RFC 8881, section 18.46.1). */
    private static final int CB_PATH_DOWN = 0x0000_0001;

    private static final int CB_PATH_DOWN_SESSION = 0x0000_0200;
    private static final int BACKCHANNEL_FAULT = 0x0000_0400;

    private final SessionTable sessions;
    private final DialedPaths dialed;

    /** @param dialed the paths to clients of NFSv4.0 */
    public WaysBack(SessionTable sessions, DialedPaths dialed) {
        this.sessions = sessions;
        this.dialed = dialed;
    }

    @Override
    public boolean reaches(Client client) {
        DialedPath path = dialed.of(client);
        if (path != null) {
            return path.isUp();
        }
        return sessions.of(client).stream().anyMatch(session -> {
            BackChannel back = session.backChannel();
            return back != null && back.isUp();
        });
    }

    @Override
    public boolean recall(long nowNanos, Client client, Recallable delegation) {
        DialedPath path = dialed.of(client);
        if (path != null) {
            return path.recall(nowNanos, delegation);
        }
        for (Session session : sessions.of(client)) {
            BackChannel back = session.backChannel();
            if (back != null && back.recall(nowNanos, delegation)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean recallAny(long nowNanos, Client client, int keep) {
        return sessions.of(client).stream().anyMatch(session -> {
            BackChannel back = session.backChannel();
            return back != null && back.recallAny(nowNanos, keep);
        });
    }

    @Override
    public boolean ask(long nowNanos, Client client, CallbackCall.GetAttr question) {
        DialedPath path = dialed.of(client);
        if (path != null) {
            return path.ask(nowNanos, question);
        }
        return sessions.of(client).stream().anyMatch(session -> {
            BackChannel back = session.backChannel();
            return back != null && back.ask(nowNanos, question);
        });
    }

    /** Tells a client that a lock can be had. Returns false if no path is up. */
    public boolean notifyLock(long nowNanos, Client client, CallbackCall.NotifyLock lock) {
        return sessions.of(client).stream().anyMatch(session -> {
            BackChannel back = session.backChannel();
            return back != null && back.notifyLock(nowNanos, lock);
        });
    }

    /** Tests the back channels that {@code connection} was bound to. */
    public void probe(long nowNanos, Object connection) {
        for (Session session : sessions.sessionsOn(connection)) {
            BackChannel back = session.backChannel();
            if (back != null) {
                back.paths().probe(nowNanos, connection);
            }
        }
    }

    /** Tests the connections of a session that BACKCHANNEL_CTL has left to be tested. */
    public void probe(long nowNanos, Session session) {
        BackChannel back = session.backChannel();
        if (back != null) {
            back.paths().probeChanged(nowNanos);
        }
    }

    /** Tests the address that an NFSv4.0 client has given. */
    public void probe(long nowNanos, Client client) {
        DialedPath path = dialed.of(client);
        if (path != null) {
            path.confirmed(nowNanos);
        }
    }

    /** If the path to an NFSv4.0 client is down, tests it again, but not too often. Returns false if there is none. */
    public boolean retry(long nowNanos, Client client) {
        DialedPath path = dialed.of(client);
        if (path == null) {
            return false;
        }
        path.retry(nowNanos);
        return true;
    }

    /** True if an NFSv4.0 client cannot be called, as far as is known. */
    public boolean isDown(Client client) {
        DialedPath path = dialed.of(client);
        return path == null ? sessions.of(client).isEmpty() : path.isDown();
    }

    /** BACKCHANNEL_CTL. */
    public void change(Session session, int program, OfferedCredentials credentials) throws Nfs4Exception {
        BackChannel back = session.backChannel();
        if (back == null || credentials.isEmpty()) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        back.paths().change(program, credentials);
    }

    /**
     * Notes the outcome of a callback.
     *
     * @return a client to which further calls can now be sent; null if there is none
     */
    public @Nullable Client answered(long nowNanos, CallbackCall call, CallbackOutcome outcome) {
        return switch (call) {
            case CallbackCall.Null probe -> probed(nowNanos, probe, outcome instanceof CallbackOutcome.Done);
            case CallbackCall.InSession recall -> recalled(nowNanos, recall, outcome);
            case CallbackCall.PlainGetAttr question -> {
                DialedPath path = dialed.of(question.target());
                if (path == null) {
                    question.operation().query().answered(null);
                    yield null;
                }
                path.asked(nowNanos, question, outcome);
                yield path.client();
            }
            case CallbackCall.PlainRecall recall -> {
                DialedPath path = dialed.of(recall.target());
                if (path == null) {
                    yield null;
                }
                path.recalled(nowNanos, recall, outcome);
                yield path.client();
            }
        };
    }

    private @Nullable Client probed(long nowNanos, CallbackCall.Null probe, boolean reached) {
        return switch (probe.target()) {
            case CallbackCall.Dialed target -> {
                DialedPath path = dialed.of(target);
                yield path != null && path.probed(nowNanos, probe, reached) ? path.client() : null;
            }
            case CallbackCall.Bound bound -> probedOn(nowNanos, bound.connection(), probe, reached);
        };
    }

    private @Nullable Client probedOn(long nowNanos, Object connection, CallbackCall.Null probe, boolean reached) {
        for (Session session : sessions.sessionsOn(connection)) {
            BackChannel back = session.backChannel();
            if (back != null && back.paths().probed(nowNanos, probe, reached)) {
                back.resume(nowNanos);
                return session.client();
            }
        }
        return null;
    }

    private @Nullable Client recalled(long nowNanos, CallbackCall.InSession call, CallbackOutcome outcome) {
        Session session = sessions.sessionOrNull(call.position().sessionId());
        BackChannel back = session == null ? null : session.backChannel();
        if (session == null || back == null) {
            return null;
        }
        back.recalled(nowNanos, call, outcome);
        back.resume(nowNanos);
        // A slot may have become free.
        return session.client();
    }

    /**
     * The bits of sr_status_flags about callback paths.
     *
     * @param leaseNanos how long a lease is
     */
    public int statusFlags(long nowNanos, long leaseNanos, Session session) {
        int flags = 0;
        boolean anyUsed = false;
        boolean allDown = true;
        for (Session each : sessions.of(session.client())) {
            BackChannel back = each.backChannel();
            if (back == null || !back.paths().isUsed()) {
                continue;
            }
            back.expire(nowNanos, CallbackCall.PATIENCE_NANOS);
            anyUsed = true;
            allDown &= back.paths().isDown();
        }
        BackChannel own = session.backChannel();
        if (own != null && own.paths().isUsed()) {
            flags |= own.paths().isDown() ? CB_PATH_DOWN_SESSION : 0;
            flags |= own.isFaulty() ? BACKCHANNEL_FAULT : 0;
            flags |= own.paths().contextFlags(leaseNanos);
        }
        return flags | (anyUsed && allDown ? CB_PATH_DOWN : 0);
    }
}
