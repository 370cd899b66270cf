package org.warpnfs.nfs.v4.state;

import org.warpnfs.nfs.v4.state.callback.CallbackCall;
import org.warpnfs.nfs.v4.state.callback.CallbackContext;
import org.warpnfs.nfs.v4.state.callback.CallbackOutcome;
import org.warpnfs.nfs.v4.state.callback.OfferedCredentials;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Callback paths to clients: whether they are up, and the outcomes of calls over them. See {@link StateTable}. */
public final class CallbackStates {
    private final StateCore core;
    private volatile CallbackContext.Finder contexts = CallbackContext.Finder.NONE;

    CallbackStates(StateCore core) {
        this.core = core;
    }

    /**
     * Tests the back channels that {@code connection} was bound to. Must be called once the reply that reports the
     * binding has been sent: before it, a client need not understand a callback.
     */
    public void probe(long nowNanos, Object connection) {
        core.change(() -> core.waysBack.probe(nowNanos, connection));
    }

    /**
     * Tests all connections of a session's back channel. Must be called once the reply of BACKCHANNEL_CTL has been
     * sent, for the same reason as {@link #probe(long, Object)}.
     */
    public void probe(long nowNanos, Session session) {
        core.change(() -> core.waysBack.probe(nowNanos, session));
    }

    /**
     * Tests the address that an NFSv4.0 client has given. Must be called once the reply of SETCLIENTID_CONFIRM has been
     * sent, for the same reason as {@link #probe(long, Object)}.
     */
    public void probe(long nowNanos, Client client) {
        core.change(() -> core.waysBack.probe(nowNanos, client));
    }

    /**
     * Notes that an NFSv4.0 client has renewed its lease. If the callback path to it is down, this tests it again, but
     * not too often.
     *
     * @return true if RENEW should answer CB_PATH_DOWN (RFC 7530, section 16.28): the client has delegations that
     *     cannot be recalled
     */
    public boolean renewed(long nowNanos, Client client) {
        return core.locked(() -> {
            boolean holds = core.delegations.held().of(client).size()
                    > core.delegations.held().revokedOf(client);
            if (core.waysBack.retry(nowNanos, client)) {
                // Recalls that could not be sent earlier are sent now, if there is another way.
                core.delegations.notifyAll(nowNanos, client);
            }
            return holds && core.waysBack.isDown(client);
        });
    }

    /** True if a callback would reach the client. */
    public boolean reaches(Client client) {
        return core.locked(() -> core.waysBack.reaches(client));
    }

    /** Tells a client of NFSv4.1 or later that a lock which it was denied can be had now, if a path is up. */
    public void notifyLock(long nowNanos, Client client, CallbackCall.NotifyLock lock) {
        core.change(() -> {
            if (!client.isGone()) {
                core.waysBack.notifyLock(nowNanos, client, lock);
            }
        });
    }

    /** Where contexts for callbacks are found. */
    public CallbackContext.Finder contexts() {
        return contexts;
    }

    /** To be called before clients come. */
    public void setContexts(CallbackContext.Finder finder) {
        contexts = finder;
    }

    /** BACKCHANNEL_CTL. */
    public void change(Session session, int program, OfferedCredentials credentials) throws Nfs4Exception {
        core.change(() -> core.waysBack.change(session, program, credentials));
    }

    /** Notes the outcome of a callback. */
    public void answered(long nowNanos, CallbackCall call, CallbackOutcome outcome) {
        core.change(() -> {
            countIfFailed(call, outcome);
            Client ready = core.waysBack.answered(nowNanos, call, outcome);
            if (ready != null) {
                core.delegations.notifyAll(nowNanos, ready);
                core.layouts.notifyAll(nowNanos, ready);
            }
        });
    }

    private void countIfFailed(CallbackCall call, CallbackOutcome outcome) {
        boolean recall =
                switch (call) {
                    case CallbackCall.Null _, CallbackCall.PlainGetAttr _ -> false;
                    case CallbackCall.InSession inSession -> inSession.operation() instanceof CallbackCall.Recall;
                    case CallbackCall.PlainRecall _ -> true;
                };
        boolean heard = outcome instanceof CallbackOutcome.Compound(int sequence, int operation, var _)
                && sequence == Nfs4Status.OK.code()
                && operation == Nfs4Status.OK.code();
        if (recall && !heard) {
            core.delegations.recalls().failed();
        }
    }
}
