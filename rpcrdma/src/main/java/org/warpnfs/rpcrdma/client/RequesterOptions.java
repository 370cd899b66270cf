package org.warpnfs.rpcrdma.client;

import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * The options of a requester's connection.
 *
 * @param inlineSendBytes the largest message that the requester sends; the responder may set a smaller limit
 * @param inlineReceiveBytes the size of a receive buffer
 * @param credits the credits to ask for; as many receives are posted
 * @param backwardCredits how many calls of the responder it accepts at once (RFC 8167)
 * @param ird how many RDMA Reads of the responder it holds
 * @param remoteInvalidation whether it permits Send with Invalidate
 * @param maxReadReplyBytes the longest reply to read from the memory of a responder that exposes it (RFC 5666, section
 *     3.8); with 0 such a reply ends the connection, as in RFC 8166
 */
public record RequesterOptions(
        int inlineSendBytes,
        int inlineReceiveBytes,
        int credits,
        int backwardCredits,
        int ird,
        boolean remoteInvalidation,
        int maxReadReplyBytes) {
    /** The options of a Linux client. */
    public static final RequesterOptions DEFAULT = new RequesterOptions(4096, 4096, 128, 16, 128, true, 0);

    public RequesterOptions {
        if (credits < 1 || backwardCredits < 0 || ird < 1 || maxReadReplyBytes < 0) {
            throw new IllegalArgumentException("a requester needs at least one credit and one RDMA Read");
        }
    }

    /** A copy for a responder that exposes replies. */
    public RequesterOptions withMaxReadReplyBytes(int most) {
        return new RequesterOptions(
                inlineSendBytes, inlineReceiveBytes, credits, backwardCredits, ird, remoteInvalidation, most);
    }

    /** How many RDMA Reads of ours may be outstanding at once. */
    int ord() {
        return maxReadReplyBytes > 0 ? 1 : 0;
    }

    PrivateData privateData() {
        return new PrivateData(remoteInvalidation, inlineSendBytes, inlineReceiveBytes);
    }
}
