package org.warpnfs.server.doctor;

import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;

/** The way to a server. Every method gives up in time. */
public interface ServerReach {
    /** What people call the server. */
    String name();

    /** The port for RDMA, and for TCP. */
    int port(Transport transport);

    /**
     * Opens a TCP connection to that port, and closes it: iWARP too goes over TCP.
     *
     * @return how long it took
     * @throws IOException if it is refused, or not there in time
     */
    Duration connect(Transport transport) throws IOException;

    /**
     * Calls NULL of NFS, some times one after the other.
     *
     * @return how long one took, the middle of all
     * @throws IOException if one is not answered by success
     */
    Duration callNull(Transport transport) throws IOException;

    /** The MTU of the interface that leads there; empty if nobody knows. */
    OptionalInt mtu();

    /** How NFS goes. */
    enum Transport {
        RDMA,
        TCP
    }
}
