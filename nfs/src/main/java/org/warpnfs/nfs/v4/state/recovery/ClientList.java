package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** The clients of one node in one epoch. Not safe for several threads. */
interface ClientList extends AutoCloseable {
    Set<Opaque> clients();

    /**
     * Writes these changes; returns when they are on stable storage. {@link RecoveryLog.Change.GraceEnded} means
     * nothing here.
     *
     * @throws IOException if that is not known; then none of the clients counts as added
     */
    void write(List<RecoveryLog.Change> changes) throws IOException;

    @Override
    void close();
}
