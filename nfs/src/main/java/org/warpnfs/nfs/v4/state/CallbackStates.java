package org.warpnfs.nfs.v4.state;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** The way back to clients: whether it is open, and what came of the calls over it. See {@link StateTable}. */
public final class CallbackStates {
    /** A callback without an answer for so long is taken for lost. */
    public static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final StateCore core;

    CallbackStates(StateCore core) {
        this.core = core;
    }

    /**
     * Tries the back channels that {@code connection} was bound to. To be called once the reply that says so is on its way: a client
     * need not understand a callback before.
     */
    public void probe(long nowNanos, Object connection) {
        core.tell(() -> {
            for (Session session : core.clients.sessionsOn(connection)) {
                BackChannel back = session.backChannel();
                if (back != null) {
                    back.probe(nowNanos, connection);
                }
            }
        });
    }

    /**
     * Tries the address that an NFSv4.0 client has given. To be called once the reply of SETCLIENTID_CONFIRM is on its way, as {@link
     * #probe(long, Object)}.
     */
    public void probe(long nowNanos, Client client) {
        core.tell(() -> {
            if (client.dialedPath != null) {
                client.dialedPath.confirmed(nowNanos);
            }
        });
    }

    /**
     * An NFSv4.0 client has renewed its lease; if the way back to it is down, it is tried again now and then.
     *
     * @return true if RENEW should say CB_PATH_DOWN (RFC 7530 section 16.28): the client has delegations, which it cannot be asked for
     */
    public boolean renewed(long nowNanos, Client client) {
        return core.look(() -> {
            DialedPath path = client.dialedPath;
            boolean holds = client.delegations.size() > client.revokedDelegations;
            if (path == null) {
                return holds && client.sessions.isEmpty();
            }
            path.retry(nowNanos);
            // What its silence has cost goes by the next way, if there is one.
            core.delegations.notifyAll(nowNanos, client);
            return holds && path.isDown();
        });
    }

    /** BACKCHANNEL_CTL. */
    public void change(Session session, int program, @Nullable CallbackCredential credential) throws Nfs4Exception {
        core.change(() -> {
            BackChannel back = session.backChannel();
            if (back == null || credential == null) {
                throw Nfs4Exception.of(Nfs4Status.INVAL);
            }
            back.change(program, credential);
        });
    }

    /** A callback has ended. */
    public void answered(long nowNanos, CallbackCall call, CallbackOutcome outcome) {
        core.tell(() -> {
            countIfFailed(call, outcome);
            switch (call) {
                case CallbackCall.Null probe -> probed(nowNanos, probe, outcome instanceof CallbackOutcome.Done);
                case CallbackCall.InSession recall -> recalled(nowNanos, recall, outcome);
                case CallbackCall.PlainRecall recall -> {
                    DialedPath path = recall.target().path();
                    if (path != null) {
                        path.recalled(nowNanos, recall, outcome);
                        core.delegations.notifyAll(nowNanos, path.client());
                    }
                }
            }
        });
    }

    private void countIfFailed(CallbackCall call, CallbackOutcome outcome) {
        boolean recall = call instanceof CallbackCall.Recall || call instanceof CallbackCall.PlainRecall;
        boolean heard = outcome instanceof CallbackOutcome.Compound(int sequence, int operation)
                && sequence == Nfs4Status.OK.code()
                && operation == Nfs4Status.OK.code();
        if (recall && !heard) {
            core.delegations.recallFailed();
        }
    }

    private void probed(long nowNanos, CallbackCall.Null probe, boolean reached) {
        if (probe.target() instanceof CallbackCall.Dialed dialed) {
            DialedPath path = dialed.path();
            if (path != null && path.probed(nowNanos, probe, reached)) {
                core.delegations.notifyAll(nowNanos, path.client());
            }
            return;
        }
        if (!(probe.target() instanceof CallbackCall.Bound bound)) {
            return;
        }
        for (Session session : core.clients.sessionsOn(bound.connection())) {
            BackChannel back = session.backChannel();
            if (back != null && back.probed(probe, reached)) {
                back.resume(nowNanos);
                core.delegations.notifyAll(nowNanos, session.client());
                return;
            }
        }
    }

    private void recalled(long nowNanos, CallbackCall.InSession call, CallbackOutcome outcome) {
        Session session = core.clients.sessionOrNull(call.position().sessionId());
        BackChannel back = session == null ? null : session.backChannel();
        if (session == null || back == null) {
            return;
        }
        back.recalled(call, outcome);
        back.resume(nowNanos);
        // A slot may have become free.
        core.delegations.notifyAll(nowNanos, session.client());
    }
}
