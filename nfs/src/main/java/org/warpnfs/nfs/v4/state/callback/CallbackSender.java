package org.warpnfs.nfs.v4.state.callback;

/**
 * Carries callbacks to clients. The state is told of each how it ended, unless the client's connection that it goes
 * over ends first.
 */
@FunctionalInterface
public interface CallbackSender {
    /** Sends and does not wait. Called on whatever thread needs the callback, without a lock; does not fail. */
    void send(CallbackCall call);
}
