package org.warpnfs.limits;

/**
 * An optional interface of a transport that names its protocol. A program tests {@code call.getTransport() instanceof
 * NamedTransport}. Safe for any thread.
 */
public interface NamedTransport {
    /** The name of a transport without this interface. */
    String OTHER = "other";

    /** The protocol as one of a few constants, {@code rdma}, {@code tcp} or {@code udp}, for counters and logs. */
    String transportName();
}
