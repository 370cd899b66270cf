package org.warpnfs.iwarp.verbs;

/**
 * Decides whether to accept a connection. It is called on the owner thread of that connection and must not block. An
 * exception from it ends the connection.
 */
@FunctionalInterface
public interface ConnectionRequestHandler {
    void connectionRequested(ConnectionRequest request);
}
