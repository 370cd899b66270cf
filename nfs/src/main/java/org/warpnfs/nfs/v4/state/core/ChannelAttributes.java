package org.warpnfs.nfs.v4.state.core;

import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * channel_attrs4 (RFC 8881, section 18.36.1).
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
    /** Length of SEQUENCE and one small operation with their RPC header. A channel for less is useless. */
    private static final int LEAST_BYTES = 256;
    /**
     * Length of an RPC header with the longest AUTH_SYS credential (RFC 5531, section 8.2), CB_SEQUENCE, and CB_RECALL
     * with the longest handle.
     */
    private static final int LEAST_CALLBACK_BYTES = 700;
    /** One page, as in Linux. */
    private static final int CALLBACK_BYTES = 4096;

    private static final int CALLBACK_OPERATIONS = 2;
    private static final int CALLBACK_SLOTS = 16;

    public static ChannelAttributes decode(CompoundReader in) throws Nfs4Exception {
        in.uint32();
        ChannelAttributes attributes =
                new ChannelAttributes(in.uint32(), in.uint32(), in.uint32(), in.uint32(), in.uint32());
        if (in.count(1) == 1) {
            in.uint32();
        }
        return attributes;
    }

    public void encode(CompoundWriter out) {
        out.int32(0);
        out.uint32(maxRequestBytes);
        out.uint32(maxReplyBytes);
        out.uint32(maxCachedReplyBytes);
        out.uint32(maxOperations);
        out.uint32(maxRequests);
        out.int32(0);
    }

    /**
     * The attributes that the server grants: never more than was asked for. TOOSMALL if the channel would be useless.
     */
    public ChannelAttributes clampedTo(StateLimits limits) throws Nfs4Exception {
        requireUseful(LEAST_BYTES);
        return new ChannelAttributes(
                Math.min(maxRequestBytes, limits.maxRequestBytes()),
                Math.min(maxReplyBytes, limits.maxReplyBytes()),
                Math.min(maxCachedReplyBytes, limits.maxCachedReplyBytes()),
                Math.min(maxOperations, limits.maxOperations()),
                Math.min(maxRequests, limits.maxSlotsPerSession()));
    }

    /**
     * The attributes that the server uses for its callbacks, which are short and whose replies need not be kept.
     * TOOSMALL if not even CB_RECALL fits.
     */
    public ChannelAttributes clampedForCallbacks() throws Nfs4Exception {
        requireUseful(LEAST_CALLBACK_BYTES);
        return new ChannelAttributes(
                Math.min(maxRequestBytes, CALLBACK_BYTES),
                Math.min(maxReplyBytes, CALLBACK_BYTES),
                0,
                Math.min(maxOperations, CALLBACK_OPERATIONS),
                Math.min(maxRequests, CALLBACK_SLOTS));
    }

    private void requireUseful(int leastBytes) throws Nfs4Exception {
        if (maxRequestBytes < leastBytes || maxReplyBytes < leastBytes || maxOperations < 2 || maxRequests < 1) {
            throw Nfs4Exception.of(Nfs4Status.TOOSMALL);
        }
    }
}
