package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Remembers over restarts which clients may hold state (RFC 8881, section 8.4.2.1). What a method has returned from is
 * on stable storage.
 */
public interface RecoveryLog extends AutoCloseable {
    /** What a log is told. */
    sealed interface Change {
        /** The client is about to be given its first state. */
        record Added(Opaque clientOwner) implements Change {}

        /** The client is gone and all its state with it. */
        record Removed(Opaque clientOwner) implements Change {}

        /** The grace period is over: whoever has not reclaimed never will. */
        record GraceEnded() implements Change {}
    }

    /** A number that grows with each start; neither 0 nor -1. Client ids, sessions and stateids carry it. */
    int instance();

    /** Sixteen bytes or so that stay over restarts: who this server is (section 2.10.4). */
    byte[] serverIdentity();

    /** The clients that may have held state when the server stopped. */
    Set<Opaque> reclaimers();

    /**
     * Writes all of these in this order, with one sync for all. Waits for the disk; called by one thread at a time.
     *
     * @throws IOException if any may not be on stable storage; then no client of them counts as added
     */
    void write(List<Change> changes) throws IOException;

    /** {@link Change.Added}, by itself. */
    default void add(Opaque clientOwner) throws IOException {
        write(List.of(new Change.Added(clientOwner)));
    }

    /** {@link Change.Removed}, by itself. */
    default void remove(Opaque clientOwner) throws IOException {
        write(List.of(new Change.Removed(clientOwner)));
    }

    /** {@link Change.GraceEnded}, by itself. */
    default void endGrace() throws IOException {
        write(List.of(new Change.GraceEnded()));
    }

    @Override
    void close();
}
