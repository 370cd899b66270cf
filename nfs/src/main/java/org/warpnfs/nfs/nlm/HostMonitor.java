package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Remembers on stable storage which clients have locks, so that they can be told when the server has restarted. */
interface HostMonitor {
    /**
     * Returns once the client is remembered on stable storage.
     *
     * @param local the address of this server that the client uses
     * @throws IOException if that is not possible; no lock may be granted then
     */
    void monitor(NlmHost host, @Nullable InetAddress local) throws IOException;

    /** True if the client had locks before the restart. */
    boolean mayReclaim(NlmHost host);

    /** The client has no locks any more. It may be forgotten later. */
    void idle(NlmHost host);
}
