package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Records over restarts which clients may have state (RFC 8881, section 8.4.2.1). A client has the name that its
 * recorder gives it; logs only compare names. When a method returns, its record is on stable storage.
 */
public interface RecoveryLog extends AutoCloseable {
    /** A change to be recorded. */
    sealed interface Change {
        /** The client is about to get its first state. */
        record Added(Opaque client) implements Change {}

        /** The client was removed with all its state. */
        record Removed(Opaque client) implements Change {}

        /** The grace period is over: clients that have not reclaimed no longer can. */
        record GraceEnded() implements Change {}
    }

    /** A number that grows with each start; never 0 or -1. It is part of client ids, sessions and stateids. */
    int instance();

    /**
     * The server identity, which stays the same over restarts (section 2.10.4). Some sixteen bytes. Servers that share
     * their records have the same.
     */
    byte[] serverIdentity();

    /** Identifies the server among those that share its records; the same over restarts. */
    default byte[] serverOwner() {
        return serverIdentity();
    }

    /** What other servers of the same files permit. */
    default SharedGrace shared() {
        return SharedGrace.NONE;
    }

    /** The clients that may have had state when the server stopped. */
    Set<Opaque> reclaimers();

    /**
     * Writes all of these changes in this order, with one sync. Waits for the disk. Called by one thread at a time.
     *
     * @throws IOException if any change may not be on stable storage; then no client in it counts as added
     */
    void write(List<Change> changes) throws IOException;

    /** Writes one {@link Change.Added}. */
    default void add(Opaque client) throws IOException {
        write(List.of(new Change.Added(client)));
    }

    /** Writes one {@link Change.Removed}. */
    default void remove(Opaque client) throws IOException {
        write(List.of(new Change.Removed(client)));
    }

    /** Writes one {@link Change.GraceEnded}. */
    default void endGrace() throws IOException {
        write(List.of(new Change.GraceEnded()));
    }

    @Override
    void close();
}
