package org.warpnfs.nfs.export;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.nfs.fence.FenceEpochs;
import org.warpnfs.nfs.fence.FenceStamp;
import org.warpnfs.nfs.fence.FenceView;

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
 * <p>Layouts of pNFS have handles of their own, which data servers take for READ, WRITE and COMMIT alone:
 *
 * <pre>
 *  0      version, 2
 *  1      1 if the layout is one to write, else 0
 *  2- 3   tag of the metadata server
 *  4-     as above; the MAC covers also the epoch of the file at the metadata server, which is not in the handle
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

    private static final byte LAYOUT_VERSION = 2;
    private static final int WRITES = 1;
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

    /** The handle of a file in a layout. It is as long as that of {@link #encode}. */
    public byte[] encodeForLayout(Location location, FenceStamp stamp, boolean writes) {
        byte[] file = location.file().toBytes();
        ByteBuffer handle = ByteBuffer.allocate(FILE_OFFSET + file.length);
        handle.put(LAYOUT_VERSION)
                .put((byte) (writes ? WRITES : 0))
                .putShort((short) stamp.tag())
                .putInt(location.export().key())
                .putLong(0)
                .put(file);
        return handle.putLong(MAC_OFFSET, macOf(handle.array(), stamp.epoch())).array();
    }

    /** True if {@link #decodeOfLayout} has to be asked about a handle. */
    public static boolean isOfLayout(byte[] handle) {
        return handle.length > 0 && handle[0] == LAYOUT_VERSION;
    }

    /**
     * The location that a handle was made of by {@link #encodeForLayout}.
     *
     * @param writes true for what only a layout to write permits
     * @param mayWait false on an event loop
     * @return null if that is not known without a wait
     */
    public @Nullable Location decodeOfLayout(byte[] handle, boolean writes, FenceView fences, boolean mayWait)
            throws HandleViolation {
        if (handle.length < FILE_OFFSET || handle.length > MAX_LENGTH_BYTES || handle[1] < 0 || handle[1] > WRITES) {
            throw new HandleViolation(FsError.BAD_HANDLE);
        }
        ByteBuffer words = ByteBuffer.wrap(handle);
        List<FenceEpochs> servers = fences.of(Short.toUnsignedInt(words.getShort(2)), mayWait);
        if (servers == null) {
            if (mayWait) {
                throw new HandleViolation(FsError.IO);
            }
            return null;
        }
        FileHandle file = FileHandle.of(handle, FILE_OFFSET);
        long key = FenceEpochs.keyOf(file.toBytes());
        long said = words.getLong(MAC_OFFSET);
        boolean isCurrent = servers.stream().anyMatch(epochs -> macOf(handle, epochs.of(key)) == said);
        if (!isCurrent || (writes && handle[1] != WRITES)) {
            throw new HandleViolation(FsError.ACCESS);
        }
        Export export = exports.byKey(words.getInt(KEY_OFFSET));
        if (export == null) {
            throw new HandleViolation(FsError.STALE);
        }
        return new Location(export, file);
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
        return begun(handle).hash().asLong();
    }

    private long macOf(byte[] handle, long epoch) {
        return begun(handle).putLong(epoch).hash().asLong();
    }

    private Hasher begun(byte[] handle) {
        return mac.newHasher()
                .putBytes(handle, 0, MAC_OFFSET)
                .putBytes(handle, FILE_OFFSET, handle.length - FILE_OFFSET);
    }
}
