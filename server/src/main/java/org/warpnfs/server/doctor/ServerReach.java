package org.warpnfs.server.doctor;

import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;

/** Reaches a server. Every method has a time limit. */
public interface ServerReach {
    /** Returns the server's name. */
    String name();

    /** Returns the port of a transport; {@link ServerChecks.Ports#OFF} if the server does not have that transport. */
    int port(Transport transport);

    /**
     * Opens a TCP connection to the port of a transport, and closes it; iWARP uses TCP too.
     *
     * @return the time it took
     * @throws IOException if the connection is refused or times out
     */
    Duration connect(Transport transport) throws IOException;

    /**
     * Calls NFS NULL several times, one after the other.
     *
     * @return the median time of a call
     * @throws IOException if a call does not succeed
     */
    Duration callNull(Transport transport) throws IOException;

    /** Returns the MTU of the interface to the server; empty if unknown. */
    OptionalInt mtu();

    /** The transports of NFS. */
    enum Transport {
        RDMA,
        TCP
    }
}
