package org.warpnfs.payload;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * An optional interface of a transport's XDR stream, for reading the undecoded bytes where they lie. With it a program
 * can tell whether it has seen a call before, including file data, without copying the data.
 */
public interface UnreadBytes {
    /**
     * Passes all bytes from the decoding position to the end of the message, in pieces and in order. Decodes nothing.
     *
     * <p>The pieces are lent for the duration of this call and must not be written to. The boundaries between pieces
     * have no meaning: the same call may come in other pieces the next time. XDR padding is included, as the peer sent
     * it.
     */
    void forEachUnread(Consumer<ByteBuffer> piece);
}
