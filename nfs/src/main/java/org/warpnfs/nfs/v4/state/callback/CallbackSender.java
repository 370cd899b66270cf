package org.warpnfs.nfs.v4.state.callback;

/**
 * Sends callbacks to clients. The outcome of each is reported to the state, unless the client's connection that carries
 * it ends first.
 */
@FunctionalInterface
public interface CallbackSender {
    /** Sends a callback without waiting. Called on any thread, without a lock. Does not fail. */
    void send(CallbackCall call);
}
