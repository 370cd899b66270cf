package org.warpnfs.fs.spi;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A regular file opened for reading, writing or both.
 *
 * <p>Permission was judged when it was opened. It stays usable when the file loses its last name, until
 * {@link #close()}. Offsets and lengths are not negative. Safe for many threads at once.
 */
public interface OpenFile extends AutoCloseable {
    FileHandle handle();

    FileAttributes attributes() throws FsException;

    /**
     * Reads from {@code offset} into {@code sink}, advancing its position.
     *
     * @return how many bytes: fewer than {@code sink.remaining()} only where the file ends, 0 at or beyond its end
     */
    int read(ByteBuffer sink, long offset) throws FsException;

    /**
     * Writes all that remains of {@code source} at {@code offset}, advancing its position.
     *
     * @return what was reached; at least {@code stability}
     * @throws FsException after which nothing is known of the range written
     */
    Stability write(ByteBuffer source, long offset, Stability stability) throws FsException;

    /**
     * Brings earlier unstable writes of the whole file, whoever made them, to stable storage. When it fails, data may
     * have been lost: {@link FileSystem#writeVerifier()} has changed before the failure shows.
     */
    void sync() throws FsException;

    /** Makes sure that later writes to the range find space; extends the file if the range ends behind it. */
    void allocate(long offset, long lengthBytes) throws FsException;

    /** Makes the range read as zeroes and gives its space back; the file's length stays. */
    void deallocate(long offset, long lengthBytes) throws FsException;

    /**
     * The next offset, not before {@code offset}, of data.
     *
     * @throws FsException NO_DEVICE if there is none
     */
    long seekData(long offset) throws FsException;

    /**
     * The next offset, not before {@code offset}, of a hole; the end of the file counts as one.
     *
     * @throws FsException NO_DEVICE if {@code offset} is at or beyond the end
     */
    long seekHole(long offset) throws FsException;

    /**
     * Copies within the backend.
     *
     * @return bytes copied, fewer only where this file ends or the backend chose to stop; at least 1 if there was any
     */
    long copyTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException;

    /** Lets {@code target} share this file's blocks, or fails with NOT_SUPPORTED and changes nothing. */
    void cloneTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException;

    /**
     * Where the file is on this host, for people: it may have been renamed since. Empty if the backend does not know,
     * or the file has no name any more.
     */
    default Optional<String> path() {
        return Optional.empty();
    }

    /** Gives up the file. Does not sync. */
    @Override
    void close();
}
