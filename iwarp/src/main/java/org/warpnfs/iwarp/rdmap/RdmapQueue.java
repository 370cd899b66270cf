package org.warpnfs.iwarp.rdmap;

/** The untagged queues of an RDMAP stream (RFC 5040, section 3.1, RFC 7306, section 10.2). */
public final class RdmapQueue {
    /** The four kinds of Send, and Immediate Data. */
    public static final int SENDS = 0;

    /** RDMA Read Requests and Atomic Requests. */
    public static final int READ_REQUESTS = 1;

    /** Terminate. */
    public static final int TERMINATES = 2;

    /** Atomic Responses. */
    public static final int ATOMIC_RESPONSES = 3;

    private RdmapQueue() {}
}
