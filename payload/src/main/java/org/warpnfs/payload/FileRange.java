package org.warpnfs.payload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * A range of an open file, whose bytes go from the page cache to a socket without a copy in user space, or by pieces if
 * they have to be seen.
 *
 * <h2>Operation</h2>
 *
 * The length is fixed when the range is made. The file may change before its bytes are sent: they are then old or new,
 * and what the file has lost is sent as zeroes. Offsets are counted from the start of the range.
 *
 * <h2>Buffers</h2>
 *
 * Holds the file open until {@link #release()}, and until calls that are under way have returned. Holds no memory.
 *
 * <h2>Errors</h2>
 *
 * Every call after the release throws an {@link IOException}. Safe for any thread.
 */
public non-sealed interface FileRange extends Source {
    /** What {@link #sendTo} returns if the socket takes nothing now. */
    int SOCKET_FULL = -1;

    /** What {@link #tryRead} returns if it would have to wait. */
    int WOULD_WAIT = -2;

    /**
     * Where the bytes come from, such as a disk. If it is slow or dead, other ranges with an equal store have to wait
     * too.
     */
    Object store();

    /** True if these bytes are in memory, so that reading or sending them waits for no disk. */
    boolean isCached(int from, int lengthBytes);

    /**
     * Reads as much as the sink takes, advancing its position. May wait for a disk.
     *
     * @return the number of bytes read: fewer than {@code sink.remaining()} only where the file ends now
     */
    int read(int from, ByteBuffer sink) throws IOException;

    /**
     * Does the same as {@link #read} if it waits for no disk.
     *
     * @return the number of bytes read, or {@link #WOULD_WAIT}; then the sink may have been written to, but its
     *     position has not changed
     */
    default int tryRead(int from, ByteBuffer sink) throws IOException {
        return isCached(from, sink.remaining()) ? read(from, sink) : WOULD_WAIT;
    }

    /**
     * Sends bytes to a non-blocking socket. Waits for a disk if they are not {@linkplain #isCached cached}.
     *
     * @param socket the number of its descriptor
     * @return the number of bytes that the socket has taken, or {@link #SOCKET_FULL}; 0 if the file now ends at or
     *     before {@code from}
     * @throws IOException if the file cannot be read or the socket has failed
     */
    int sendTo(int socket, int from, int lengthBytes) throws IOException;

    @Override
    default int heapBytes() {
        return 0;
    }

    @Override
    default ByteBuffer bytes() {
        ByteBuffer copy = ByteBuffer.allocate(lengthBytes());
        try {
            int _ = read(0, copy);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // What the file has lost since the range was made stays zero.
        return copy.clear();
    }
}
