package org.warpnfs.nfs.replay;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.warpnfs.payload.UnreadBytes;

/**
 * Computes a checksum over the bytes of a call in place: nothing is copied or decoded. For programs that act on some
 * arguments before they have decoded the last of them.
 */
public final class CallChecksum {
    private final CRC32C crc = new CRC32C();
    private long lengthBytes;

    private CallChecksum() {}

    /** The checksum of everything that was not decoded yet, including data outside of the stream. */
    public static long ofUnread(Xdr call) {
        CallChecksum checksum = new CallChecksum();
        if (call instanceof UnreadBytes unread) {
            unread.forEachUnread(checksum::add);
        } else {
            // oncrpc4j's own stream has the whole call in one buffer.
            checksum.add(call.asBuffer().toByteBuffer());
        }
        return checksum.crc.getValue() << Integer.SIZE ^ checksum.lengthBytes;
    }

    private void add(ByteBuffer piece) {
        lengthBytes += piece.remaining();
        crc.update(piece.duplicate());
    }
}
