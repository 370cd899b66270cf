package org.warpnfs.fs.spi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.warpnfs.keys.KeyedHash;

/**
 * One component of a path: 1 to {@value #MAX_LENGTH_BYTES} bytes, without {@code /} and NUL, neither {@code .} nor
 * {@code ..}. A name is bytes, not characters: clients agree among themselves on the encoding.
 */
public final class FileName {
    /** NAME_MAX of Linux file systems. */
    public static final int MAX_LENGTH_BYTES = 255;

    private final byte[] bytes;

    private FileName(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Checks and copies {@code bytes}.
     *
     * @throws FsException NAME_TOO_LONG, or INVALID when empty, {@code .}, {@code ..}, or holding {@code /} or NUL
     */
    public static FileName of(byte[] bytes) throws FsException {
        if (bytes.length > MAX_LENGTH_BYTES) {
            throw FsException.of(FsError.NAME_TOO_LONG);
        }
        if (bytes.length == 0 || isDots(bytes)) {
            throw FsException.of(FsError.INVALID);
        }
        for (byte b : bytes) {
            if (b == 0 || b == '/') {
                throw FsException.of(FsError.INVALID);
            }
        }
        return new FileName(bytes.clone());
    }

    /** Makes a name of the string's UTF-8 bytes, as {@link #of(byte[])} does. */
    public static FileName of(String name) throws FsException {
        return of(name.getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isDots(byte[] bytes) {
        return bytes[0] == '.' && (bytes.length == 1 || (bytes.length == 2 && bytes[1] == '.'));
    }

    public byte[] toBytes() {
        return bytes.clone();
    }

    public int lengthBytes() {
        return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileName name && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bytes);
    }

    /** The name as text for messages. Bytes that are not UTF-8 appear as replacement characters. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
