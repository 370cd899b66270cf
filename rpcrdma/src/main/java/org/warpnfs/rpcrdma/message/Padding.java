package org.warpnfs.rpcrdma.message;

/**
 * The padding of RDMA_MSGP, which puts the data of long items on a boundary (RFC 5666, section 3.9).
 *
 * <p>It stands between an item's count and its data. The RFC leaves open from where the boundary counts; here it is the
 * first byte of the Send, which is where a responder's receive buffer begins, since aligned data there are what the
 * padding is for. The RFC also lets a sender pad items "at or above" the threshold and a receiver skip where the length
 * "exceeds" it; the sender's word is taken.
 *
 * @param alignmentBytes a power of two; 1 for none
 * @param thresholdBytes the length from which an item is padded
 * @param headerBytes length of what precedes the message in the Send
 */
public record Padding(int alignmentBytes, long thresholdBytes, int headerBytes) {
    /** No padding, as in all messages but RDMA_MSGP. */
    public static final Padding NONE = new Padding(1, 0, 0);

    public Padding {
        if (Integer.bitCount(alignmentBytes) != 1 || alignmentBytes < 1 || thresholdBytes < 0 || headerBytes < 0) {
            throw new IllegalArgumentException("alignment " + alignmentBytes + ", threshold " + thresholdBytes);
        }
    }

    /** Bytes of padding at an offset of the message as it was sent, before an item of {@code countBytes}. */
    int before(int offsetBytes, int countBytes) {
        return countBytes < thresholdBytes ? 0 : -(headerBytes + offsetBytes) & alignmentBytes - 1;
    }
}
