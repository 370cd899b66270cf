package org.warpnfs.rpcrdma.request;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * The DDP-eligible items of one reply, in order, whether they came in a Write chunk or in the stream (RFC 8267, section
 * 5).
 *
 * <p>Not safe for use by two threads at once.
 */
public final class ReplyItems {
    private final Iterator<ByteBuffer> written;

    /** @param written the argument of {@link ReplyHandler#replied} */
    public ReplyItems(List<ByteBuffer> written) {
        this.written = written.iterator();
    }

    /**
     * Takes an item whose count was just read from {@code stream}.
     *
     * @return the data in the Write chunk, or else a view of the stream that is valid as long as the stream
     * @throws RequestException if the chunk holds another number of bytes, or the stream fewer
     */
    public ByteBuffer take(XdrStream stream, int countBytes) throws RequestException {
        ByteBuffer chunk = written.hasNext() ? written.next() : null;
        if (chunk != null && chunk.hasRemaining()) {
            if (chunk.remaining() != countBytes) {
                throw new RequestException(
                        RequestException.Failure.BAD_REPLY,
                        "result of " + countBytes + " bytes, of which " + chunk.remaining() + " were written");
            }
            return chunk;
        }
        boolean begun = countBytes >= 0 && stream.beginCounted(countBytes);
        int leftBytes = stream.remainingBytes();
        if (!begun || countBytes > leftBytes || XdrStream.roundUp(countBytes) > leftBytes) {
            throw new RequestException(
                    RequestException.Failure.BAD_REPLY,
                    "result of " + Integer.toUnsignedString(countBytes) + " bytes in a reply with " + leftBytes
                            + " left");
        }
        return stream.counted(countBytes);
    }
}
