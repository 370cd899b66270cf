package org.warpnfs.fs.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A range of an open file that was in the page cache when it was made, for sending without a copy in user space.
 *
 * <h2>Operation</h2>
 *
 * It stays usable when the open file is closed, when the file loses its name and when its file system is closed.
 * Offsets are counted from the start of the range. Calls need no identity, since access was checked when the file was
 * opened.
 *
 * <h2>Errors</h2>
 *
 * Every call after {@link #close()} throws an {@link IOException}. Safe for many threads at once.
 */
public interface CachedRange extends AutoCloseable {
    /** What {@link #sendTo} returns if the socket takes nothing now. */
    int SOCKET_FULL = -1;

    /** What {@link #tryRead} returns if it would have to wait. */
    int WOULD_WAIT = -2;

    int lengthBytes();

    /**
     * Where the bytes come from, such as a disk. If it is slow or dead, other ranges with an equal store have to wait
     * too.
     */
    Object store();

    /** True if these bytes are still in memory, so that reading or sending them waits for no disk. */
    boolean isCached(int from, int lengthBytes);

    /**
     * Reads as much as the sink takes, advancing its position. May wait for a disk.
     *
     * @return number of bytes read: fewer than {@code sink.remaining()} only where the file ends now
     */
    int read(int from, ByteBuffer sink) throws IOException;

    /**
     * Does the same as {@link #read} if it waits for no disk. By default it asks {@link #isCached} first.
     *
     * @return number of bytes read, or {@link #WOULD_WAIT}; then the sink may have been written to, but its position
     *     has not changed
     */
    default int tryRead(int from, ByteBuffer sink) throws IOException {
        return isCached(from, sink.remaining()) ? read(from, sink) : WOULD_WAIT;
    }

    /**
     * Sends bytes to a non-blocking socket. Waits for a disk if they are not {@linkplain #isCached cached}.
     *
     * @param socket number of its descriptor
     * @return number of bytes that the socket has taken, or {@link #SOCKET_FULL}; 0 if the file now ends at or before
     *     {@code from}
     * @throws IOException if the file cannot be read or the socket has failed
     */
    int sendTo(int socket, int from, int lengthBytes) throws IOException;

    /** Ends the use of the file, once calls that are under way have returned. Does not wait. */
    @Override
    void close();
}
