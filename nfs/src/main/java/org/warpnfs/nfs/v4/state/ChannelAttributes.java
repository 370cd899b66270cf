package org.warpnfs.nfs.v4.state;

import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.XdrReader;
import org.warpnfs.nfs.v4.xdr.XdrWriter;

/**
 * channel_attrs4 (RFC 8881 section 18.36.1).
 *
 * <pre>
 *   count4  ca_headerpadsize
 *   count4  ca_maxrequestsize
 *   count4  ca_maxresponsesize
 *   count4  ca_maxresponsesize_cached
 *   count4  ca_maxoperations
 *   count4  ca_maxrequests
 *   uint32  ca_rdma_ird&lt;1&gt;
 * </pre>
 */
public record ChannelAttributes(
        long maxRequestBytes, long maxReplyBytes, long maxCachedReplyBytes, long maxOperations, long maxRequests) {
    /** SEQUENCE and one small operation with their RPC header; a channel that holds less is of no use. */
    private static final int LEAST_BYTES = 256;

    public static ChannelAttributes decode(XdrReader in) throws Nfs4Exception {
        in.uint32();
        ChannelAttributes attributes =
                new ChannelAttributes(in.uint32(), in.uint32(), in.uint32(), in.uint32(), in.uint32());
        if (in.count(1) == 1) {
            in.uint32();
        }
        return attributes;
    }

    public void encode(XdrWriter out) {
        out.int32(0);
        out.uint32(maxRequestBytes);
        out.uint32(maxReplyBytes);
        out.uint32(maxCachedReplyBytes);
        out.uint32(maxOperations);
        out.uint32(maxRequests);
        out.int32(0);
    }

    /** What the server grants of this: never more than was asked for. TOOSMALL if nothing could be done with it. */
    ChannelAttributes clampedTo(StateLimits limits) throws Nfs4Exception {
        if (maxRequestBytes < LEAST_BYTES || maxReplyBytes < LEAST_BYTES || maxOperations < 2 || maxRequests < 1) {
            throw Nfs4Exception.of(Nfs4Status.TOOSMALL);
        }
        return new ChannelAttributes(
                Math.min(maxRequestBytes, limits.maxRequestBytes()),
                Math.min(maxReplyBytes, limits.maxReplyBytes()),
                Math.min(maxCachedReplyBytes, limits.maxCachedReplyBytes()),
                Math.min(maxOperations, limits.maxOperations()),
                Math.min(maxRequests, limits.maxSlotsPerSession()));
    }
}
