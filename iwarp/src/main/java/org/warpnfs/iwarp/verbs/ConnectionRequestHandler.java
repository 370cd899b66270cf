package org.warpnfs.iwarp.verbs;

/** Decides who may connect. Called on the owner thread of the connection to be. */
@FunctionalInterface
public interface ConnectionRequestHandler {
    void connectionRequested(ConnectionRequest request);
}
