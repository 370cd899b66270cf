package org.warpnfs.nfs.v4.state;

import java.io.IOException;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Remembers over restarts which clients may hold state (RFC 8881 section 8.4.2.1). What a method has returned from is on stable
 * storage.
 */
public interface RecoveryLog extends AutoCloseable {
    /** A number that grows with each start; neither 0 nor -1. Client ids, sessions and stateids carry it. */
    int instance();

    /** Sixteen bytes or so that stay over restarts: who this server is (section 2.10.4). */
    byte[] serverIdentity();

    /** The clients that may have held state when the server stopped. */
    Set<Opaque> reclaimers();

    /** The client is about to be given its first state. */
    void add(Opaque clientOwner) throws IOException;

    /** The client is gone and all its state with it. */
    void remove(Opaque clientOwner) throws IOException;

    /** The grace period is over: whoever has not reclaimed never will. */
    void endGrace() throws IOException;

    @Override
    void close();
}
