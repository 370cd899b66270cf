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

    /**
     * Ends the time in which clients reclaim what they had before the restart, for the next restart too: who has not
     * come back may not reclaim then, since others may have had its locks. Must be called before anybody gets a new
     * lock. Returns once it is on stable storage.
     *
     * @throws IOException if it cannot be written; no new lock may be granted then
     */
    void settle() throws IOException;

    /** True if the client had locks before the restart. */
    boolean mayReclaim(NlmHost host);

    /** The client, which is remembered, has a lock or waits for one, whatever {@link #idle} said meanwhile. */
    void inUse(NlmHost host);

    /** The client has no locks any more. It may be forgotten later. Does not wait. */
    void idle(NlmHost host);
}
