package org.warpnfs.iwarp.rdmap;

/** The untagged queues of an RDMAP stream (RFC 5040 section 3.1). */
public final class RdmapQueue {
    /** The four kinds of Send. */
    public static final int SENDS = 0;

    /** RDMA Read Requests. */
    public static final int READ_REQUESTS = 1;

    /** Terminate. */
    public static final int TERMINATES = 2;

    private RdmapQueue() {}
}
