package org.warpnfs.payload;

/**
 * What a transport's XDR stream offers beside the ordinary encoders: data items that an upper-layer binding calls
 * DDP-eligible (RFC 8267: READ data, READLINK text) are sent without being copied.
 *
 * <p>A program asks {@code xdr instanceof PayloadEncoder}; where it is not, it encodes the bytes as an ordinary
 * variable-length opaque and releases the payload itself.
 */
public interface PayloadEncoder {
    /**
     * Encodes {@code payload} as variable-length opaque data: the length word, the bytes, the pad. Takes ownership: the
     * payload is released when the socket has taken its bytes, or when the reply is dropped.
     */
    void xdrEncodePayload(Payload payload);

    /**
     * Encodes {@code payload} as {@link #xdrEncodePayload} does, for data that an upper-layer binding does not call
     * DDP-eligible: they stay in the message, and no chunk takes them. Where the transport cannot gather them they are
     * copied, so a program sends no more of them in one reply than {@link #maxInlinePayloadBytes()}.
     */
    void xdrEncodeInlinePayload(Payload payload);

    /** How much should go through {@link #xdrEncodeInlinePayload} in one reply. */
    int maxInlinePayloadBytes();
}
