package org.warpnfs.iwarp.rdmap;

/** The untagged queues of an RDMAP stream (RFC 5040, section 3.1, RFC 7306, section 10.2). */
public final class RdmapQueue {
    /** The queue of the four kinds of Send and of Immediate Data. */
    public static final int SENDS = 0;

    /** The queue of RDMA Read Requests and Atomic Requests. */
    public static final int READ_REQUESTS = 1;

    /** The queue of the Terminate. */
    public static final int TERMINATES = 2;

    /** The queue of Atomic Responses. */
    public static final int ATOMIC_RESPONSES = 3;

    private RdmapQueue() {}
}
