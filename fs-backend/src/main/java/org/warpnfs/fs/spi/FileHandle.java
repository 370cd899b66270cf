package org.warpnfs.fs.spi;

import java.util.Arrays;
import java.util.HexFormat;
import org.warpnfs.keys.KeyedHash;

/**
 * A backend's name for one file: at most {@value #MAX_LENGTH_BYTES} bytes, which only the backend interprets.
 *
 * <p>A file keeps its handle for as long as it exists, over renames and over restarts of the server. After the file is
 * gone, its handle gets {@link FsError#STALE} and is never given to another file.
 */
public final class FileHandle {
    /** The length of an NFSv3 handle (RFC 1813, section 2.4) less the server's own prefix. */
    public static final int MAX_LENGTH_BYTES = 48;

    private final byte[] bytes;

    private FileHandle(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Copies {@code bytes}.
     *
     * @throws IllegalArgumentException if there are more than {@value #MAX_LENGTH_BYTES}
     */
    public static FileHandle of(byte[] bytes) {
        return of(bytes, 0);
    }

    /**
     * Copies {@code bytes} from {@code from} to their end.
     *
     * @throws IllegalArgumentException if there are more than {@value #MAX_LENGTH_BYTES}
     */
    public static FileHandle of(byte[] bytes, int from) {
        int lengthBytes = bytes.length - from;
        if (lengthBytes > MAX_LENGTH_BYTES) {
            throw new IllegalArgumentException("file handle of " + lengthBytes + " bytes, limit " + MAX_LENGTH_BYTES);
        }
        return new FileHandle(Arrays.copyOfRange(bytes, from, bytes.length));
    }

    public byte[] toBytes() {
        return bytes.clone();
    }

    public int lengthBytes() {
        return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle && Arrays.equals(bytes, handle.bytes);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
