package org.warpnfs.limits;

/**
 * A transport that says what carries its calls: a program asks {@code call.getTransport() instanceof NamedTransport}.
 * Safe for any thread.
 */
public interface NamedTransport {
    /** What a transport is called that does not say. */
    String OTHER = "other";

    /** {@code rdma}, {@code tcp} or {@code udp}: one of a few constants, for counters and logs. */
    String transportName();
}
