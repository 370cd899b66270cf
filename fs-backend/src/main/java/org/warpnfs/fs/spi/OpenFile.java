package org.warpnfs.fs.spi;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/**
 * A regular file opened for reading, writing or both.
 *
 * <p>A file of a tree that cannot be written implements the methods without a default. One that can be written has
 * {@link #write} and {@link #sync} too, and what its file system's {@linkplain Capability capabilities} say.
 *
 * <p>Permission is checked when the file is opened. The file stays usable until {@link #close()}, even if it loses its
 * last name. Offsets and lengths are not negative. Safe for many threads at once.
 */
public interface OpenFile extends AutoCloseable {
    /** The result of {@link #tryRead} if the data are not at hand. */
    int WOULD_WAIT = -1;

    FileHandle handle();

    FileAttributes attributes() throws FsException;

    /** The attributes of the file, as in {@link FileSystem#attributes(FileHandle, Set)}. */
    default FileAttributes attributes(Set<FileAttribute> wanted) throws FsException {
        return attributes();
    }

    /**
     * The attributes as they were at some time after the last {@link #write} of one byte or more through this object,
     * if nobody else writes through it. What a write has read for its own sake may be answered, so that a reply with
     * both costs no second call.
     */
    default FileAttributes attributesAfterWrite(Set<FileAttribute> wanted) throws FsException {
        return attributes(wanted);
    }

    /**
     * Reads from {@code offset} into {@code sink}, advancing its position.
     *
     * @return number of bytes read: fewer than {@code sink.remaining()} only where the file ends, 0 at or beyond its
     *     end
     */
    int read(ByteBuffer sink, long offset) throws FsException;

    /**
     * A range of the file whose bytes can be sent without reading them, if the backend has such ranges and all of it is
     * in the page cache. The caller closes it.
     *
     * @param lengthBytes at least 1; the range must not go beyond the end of the file
     */
    default Optional<CachedRange> range(long offset, int lengthBytes) throws FsException {
        return Optional.empty();
    }

    /**
     * Lends bytes of the file, as many as {@link #read} would read. Without {@link Capability#LENT_PAGES} there is
     * nothing to lend. With it a backend may refuse at any time, for instance because too much is lent already: then
     * the caller reads. Does not wait for a disk or another host.
     *
     * @param lengthBytes at least 1
     * @return at least one byte; empty if there is nothing to lend, or the file ends at or before {@code offset}. The
     *     caller closes it
     */
    default Optional<LentPages> lend(long offset, int lengthBytes) throws FsException {
        return Optional.empty();
    }

    /**
     * Reads as {@link #read} does, without a wait for a disk, for another host or for a lock that is held for long.
     * Called on threads that serve many clients. After a result of 0 or more, {@link #sizeBytes} and
     * {@link #attributes} do not wait either.
     *
     * @return as {@link #read}, or {@link #WOULD_WAIT}; the sink's contents are undefined then, and its position has
     *     not changed
     */
    default int tryRead(ByteBuffer sink, long offset) throws FsException {
        return WOULD_WAIT;
    }

    /** The length of the file now. */
    default long sizeBytes() throws FsException {
        return attributes(FileAttribute.setOf(FileAttribute.SIZE)).sizeBytes();
    }

    /**
     * Writes all that remains of {@code source} at {@code offset}, advancing its position.
     *
     * @return the stability that was reached; at least {@code stability}
     * @throws FsException the contents of the range are unknown afterwards
     */
    default Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        throw FsException.of(FsError.READ_ONLY);
    }

    /**
     * Brings earlier unstable writes of the whole file, whoever made them, to stable storage. If that fails, data may
     * have been lost; {@link FileSystem#writeVerifier()} changes before this method throws.
     */
    default void sync() throws FsException {
        throw FsException.of(FsError.READ_ONLY);
    }

    /** Reserves space for later writes to the range. Extends the file if the range ends beyond its end. */
    default void allocate(long offset, long lengthBytes) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /** Makes the range read as zeroes and frees its space. The file's length does not change. */
    default void deallocate(long offset, long lengthBytes) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /**
     * The first offset of data at or after {@code offset}. Without {@link Capability#HOLES} all of a file is data.
     *
     * @throws FsException NO_DEVICE if there is none
     */
    default long seekData(long offset) throws FsException {
        if (offset >= sizeBytes()) {
            throw FsException.of(FsError.NO_DEVICE);
        }
        return offset;
    }

    /**
     * The first offset of a hole at or after {@code offset}; the end of the file counts as a hole.
     *
     * @throws FsException NO_DEVICE if {@code offset} is at or beyond the end
     */
    default long seekHole(long offset) throws FsException {
        long sizeBytes = sizeBytes();
        if (offset >= sizeBytes) {
            throw FsException.of(FsError.NO_DEVICE);
        }
        return sizeBytes;
    }

    /**
     * Copies within the backend. The range ends where this file does; within one file it must not overlap that of the
     * target.
     *
     * @return bytes copied, fewer than asked only where this file ends or the backend chose to stop; at least 1 if
     *     there was anything to copy
     */
    default long copyTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /** Makes {@code target} share this file's blocks, or fails with NOT_SUPPORTED and changes nothing. */
    default void cloneTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    /**
     * The path of the file on this host, to show to people: the file may have been renamed since. Empty if the backend
     * does not know the path, or the file has no name any more.
     */
    default Optional<String> path() {
        return Optional.empty();
    }

    /** Closes the file. Syncs nothing. */
    @Override
    void close();
}
