package org.warpnfs.payload;

/**
 * An optional interface of a transport's XDR stream, for encoding file data without a copy. It takes the data items
 * that an upper-layer binding calls DDP-eligible (RFC 8267: READ data, READLINK text).
 *
 * <p>A program tests {@code xdr instanceof PayloadEncoder}. If the stream does not implement it, the program encodes
 * the bytes as an ordinary variable-length opaque and releases the payload itself.
 */
public interface PayloadEncoder {
    /**
     * Encodes {@code payload} as variable-length opaque data: the length word, the bytes, the pad. Takes ownership of
     * the payload, and releases it when the socket has taken its bytes or the reply is dropped.
     */
    void xdrEncodePayload(Source payload);

    /**
     * The longest {@link FileRange} that the first payload of the reply may be; 0 if it must be in memory. All further
     * payloads must be in memory.
     */
    default int maxRangeBytes() {
        return 0;
    }

    /**
     * Encodes {@code payload} as {@link #xdrEncodePayload} does, for data that an upper-layer binding does not call
     * DDP-eligible. Such data stays in the message and goes to no chunk. A transport that cannot gather it copies it,
     * so a program sends at most {@link #maxInlinePayloadBytes()} of it in one reply.
     */
    void xdrEncodeInlinePayload(Payload payload);

    /** The most bytes that should go through {@link #xdrEncodeInlinePayload} in one reply. */
    int maxInlinePayloadBytes();
}
