package org.warpnfs.iwarp.verbs;

/** Against what else an atomic operation of a peer's is atomic (RFC 7306, sections 1.1 and 5). */
public enum AtomicityScope {
    /** No atomic operations on this connection. */
    NONE,
    /** Against atomic operations of all streams of this device. */
    DEVICE,
    /**
     * As {@link #DEVICE}, and against atomic instructions of this host's processors on the same memory,
     * {@link MemoryRegion#fetchAdd} and {@link MemoryRegion#compareSwap} among them. Not against plain loads and stores
     * of more than a word, nor against RDMA Reads and Writes: keep those away from words that take atomic operations.
     */
    HOST
}
