package org.warpnfs.iwarp.verbs;

/**
 * Where an RDMA Write goes to, or an RDMA Read comes from, at the peer.
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
