package org.warpnfs.rpcrdma.client;

import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * What a requester brings to its connection.
 *
 * @param inlineSendBytes the largest message that it sends; the responder may set a smaller limit
 * @param inlineReceiveBytes size of a receive buffer
 * @param credits to ask for; receives are posted for as many
 * @param backwardCredits calls of the responder's that it takes at once (RFC 8167)
 * @param ird RDMA Reads of the responder's that it holds
 * @param remoteInvalidation whether to welcome Send with Invalidate
 * @param maxReadReplyBytes the longest reply to read from the memory of a responder that exposes it (RFC 5666, section
 *     3.8); 0 as RFC 8166 has it: such a reply ends the connection
 */
public record RequesterOptions(
        int inlineSendBytes,
        int inlineReceiveBytes,
        int credits,
        int backwardCredits,
        int ird,
        boolean remoteInvalidation,
        int maxReadReplyBytes) {
    /** What a Linux client brings. */
    public static final RequesterOptions DEFAULT = new RequesterOptions(4096, 4096, 128, 16, 128, true, 0);

    public RequesterOptions {
        if (credits < 1 || backwardCredits < 0 || ird < 1 || maxReadReplyBytes < 0) {
            throw new IllegalArgumentException("a requester needs a credit and an RDMA Read");
        }
    }

    /** These, for a responder that exposes replies. */
    public RequesterOptions withMaxReadReplyBytes(int most) {
        return new RequesterOptions(
                inlineSendBytes, inlineReceiveBytes, credits, backwardCredits, ird, remoteInvalidation, most);
    }

    /** RDMA Reads of ours that are outstanding at once. */
    int ord() {
        return maxReadReplyBytes > 0 ? 1 : 0;
    }

    PrivateData privateData() {
        return new PrivateData(remoteInvalidation, inlineSendBytes, inlineReceiveBytes);
    }
}
