package org.warpnfs.iwarp.verbs;

/**
 * Decides who may connect. Called on the owner thread of the connection to be, which it must not block. What it throws
 * ends that connection.
 */
@FunctionalInterface
public interface ConnectionRequestHandler {
    void connectionRequested(ConnectionRequest request);
}
