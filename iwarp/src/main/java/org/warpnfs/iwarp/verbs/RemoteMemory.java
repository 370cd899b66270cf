package org.warpnfs.iwarp.verbs;

/**
 * A location in the peer's memory: the sink of an RDMA Write, the source of an RDMA Read, or the target of an atomic
 * operation.
 *
 * @param stag the peer's steering tag, unsigned 32 bits
 * @param taggedOffset the offset within it, unsigned 64 bits
 */
public record RemoteMemory(long stag, long taggedOffset) {
    public RemoteMemory {
        if (stag >>> 32 != 0) {
            throw new IllegalArgumentException("STag " + Long.toHexString(stag) + " is wider than 32 bits");
        }
    }
}
