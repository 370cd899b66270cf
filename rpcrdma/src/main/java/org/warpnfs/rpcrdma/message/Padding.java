package org.warpnfs.rpcrdma.message;

/**
 * The padding of RDMA_MSGP, which aligns the data of long items (RFC 5666, section 3.9).
 *
 * <p>It lies between an item's count and its data. The RFC does not say from which byte the alignment counts. Here it
 * counts from the first byte of the Send, which is where the responder's receive buffer begins, because the padding
 * shall align data in that buffer. The RFC contradicts itself on the threshold: a sender pads items "at or above" it,
 * and a receiver skips padding if the length "exceeds" it. The sender's rule is used.
 *
 * @param alignmentBytes a power of two; 1 for none
 * @param thresholdBytes the least length of an item that is padded
 * @param headerBytes the length of the header before the message in the Send
 */
public record Padding(int alignmentBytes, long thresholdBytes, int headerBytes) {
    /** No padding, as in all messages but RDMA_MSGP. */
    public static final Padding NONE = new Padding(1, 0, 0);

    public Padding {
        if (Integer.bitCount(alignmentBytes) != 1 || alignmentBytes < 1 || thresholdBytes < 0 || headerBytes < 0) {
            throw new IllegalArgumentException("alignment " + alignmentBytes + ", threshold " + thresholdBytes);
        }
    }

    /** The number of padding bytes before an item of {@code countBytes}, at an offset in the message as it was sent. */
    int before(int offsetBytes, int countBytes) {
        return countBytes < thresholdBytes ? 0 : -(headerBytes + offsetBytes) & alignmentBytes - 1;
    }
}
