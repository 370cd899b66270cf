package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What a transport's XDR stream offers beside the ordinary decoders: a look at what was not decoded yet, where it lies.
 * So a program can tell whether it has seen a call before, its file data included, without copying them.
 */
public interface UnreadBytes {
    /**
     * Shows all bytes from the next that would be decoded to the end of the message, piece by piece in their order.
     * Decodes nothing.
     *
     * <p>The pieces are lent for the length of the call, and must not be written to. Where one ends and the next begins
     * says nothing about the message: the same call may come in other pieces next time. What is padding in XDR is among
     * them, as the peer sent it.
     */
    void forEachUnread(Consumer<ByteBuffer> piece);
}
