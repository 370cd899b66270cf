package org.warpnfs.nfs.export;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;

/**
 * The handles that clients hold (nfs_fh3 of RFC 1813, section 2.4, nfs_fh4 of RFC 8881, section 4).
 *
 * <pre>
 * bytes   field
 *  0      version, 1
 *  1- 3   zero
 *  4- 7   key of the export
 *  8-15   MAC over all other bytes: SipHash-2-4 under the server's secret
 * 16-     the backend's handle, at most 48 bytes
 * </pre>
 *
 * <p>Because of the MAC, a client cannot make up a handle to a file outside of the exports that it may use. Anyone who
 * has seen a handle can use it: a handle names a file and grants no permission.
 *
 * <p>Immutable; safe for any thread. Handles outlive a restart if the secret does.
 */
public final class NfsHandles {
    public static final int SECRET_LENGTH_BYTES = 16;
    /** NFS3_FHSIZE. */
    public static final int MAX_LENGTH_BYTES = 64;

    private static final int VERSION_WORD = 1 << 24;
    private static final int VERIFIER_WORD = ~VERSION_WORD;
    private static final int KEY_OFFSET = 4;
    private static final int MAC_OFFSET = KEY_OFFSET + 4;
    private static final int FILE_OFFSET = MAC_OFFSET + 8;

    private final ExportTable exports;
    private final HashFunction mac;

    /**
     * Makes and reads handles of the files of {@code exports}.
     *
     * @param secret {@value #SECRET_LENGTH_BYTES} random bytes, kept over restarts
     */
    public NfsHandles(ExportTable exports, byte[] secret) {
        if (secret.length != SECRET_LENGTH_BYTES) {
            throw new IllegalArgumentException(
                    "the handle secret must have " + SECRET_LENGTH_BYTES + " bytes, not " + secret.length);
        }
        this.exports = exports;
        ByteBuffer words = ByteBuffer.wrap(secret);
        this.mac = Hashing.sipHash24(words.getLong(), words.getLong());
    }

    /** The handle of a file: at most {@value #MAX_LENGTH_BYTES} bytes, equal for equal locations. */
    public byte[] encode(Location location) {
        byte[] file = location.file().toBytes();
        ByteBuffer handle = ByteBuffer.allocate(FILE_OFFSET + file.length);
        handle.putInt(VERSION_WORD).putInt(location.export().key()).putLong(0).put(file);
        return handle.putLong(MAC_OFFSET, macOf(handle.array())).array();
    }

    /** The location that {@code handle} was made of by {@link #encode}. */
    public Location decode(byte[] handle) throws HandleViolation {
        if (handle.length < FILE_OFFSET || handle.length > MAX_LENGTH_BYTES) {
            throw new HandleViolation(FsError.BAD_HANDLE);
        }
        ByteBuffer words = ByteBuffer.wrap(handle);
        if (words.getInt(0) != VERSION_WORD || words.getLong(MAC_OFFSET) != macOf(handle)) {
            throw new HandleViolation(FsError.BAD_HANDLE);
        }
        Export export = exports.byKey(words.getInt(KEY_OFFSET));
        if (export == null) {
            throw new HandleViolation(FsError.STALE);
        }
        return new Location(export, FileHandle.of(handle, FILE_OFFSET));
    }

    /**
     * The verifier by which a backend recognises a file that was created exclusively (RFC 1813, section 3.3.8, RFC
     * 8881, section 18.16.3). It is a keyed hash of the client's verifier, the caller and the name. A keyed hash is
     * needed because clients choose verifiers that others can guess, and a backend may keep them where everyone sees
     * them, as in a file's times. Equal for equal arguments, over restarts too.
     */
    public long exclusiveVerifier(long verifier, Caller caller, FileHandle directory, FileName name) {
        byte[] parent = directory.toBytes();
        return mac.newHasher()
                // No handle begins with this word.
                .putInt(VERIFIER_WORD)
                .putLong(verifier)
                .putLong(caller.uid())
                .putInt(parent.length)
                .putBytes(parent)
                .putBytes(name.toBytes())
                .hash()
                .asLong();
    }

    private long macOf(byte[] handle) {
        return mac.newHasher()
                .putBytes(handle, 0, MAC_OFFSET)
                .putBytes(handle, FILE_OFFSET, handle.length - FILE_OFFSET)
                .hash()
                .asLong();
    }
}
