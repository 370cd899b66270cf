package org.warpnfs.iwarp.verbs;

/** The other accesses to memory against which a peer's atomic operation is atomic (RFC 7306, sections 1.1 and 5). */
public enum AtomicityScope {
    /** No atomic operations on this connection. */
    NONE,
    /** Atomic operations of all streams of this device. */
    DEVICE,
    /**
     * The operations of {@link #DEVICE}, and atomic instructions of this host's processors on the same memory, which
     * include {@link MemoryRegion#fetchAdd} and {@link MemoryRegion#compareSwap}. An operation is not atomic against
     * plain loads and stores of more than a word, nor against RDMA Reads and Writes. Keep those away from words that
     * take atomic operations.
     */
    HOST
}
