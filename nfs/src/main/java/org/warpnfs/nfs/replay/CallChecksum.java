package org.warpnfs.nfs.replay;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.warpnfs.payload.UnreadBytes;

/**
 * Tells calls apart by their bytes, where they lie: nothing is copied or decoded. For programs that act on arguments
 * before they have seen the last of them, and can ask no decoded value for its checksum.
 */
public final class CallChecksum {
    private final CRC32C crc = new CRC32C();
    private long lengthBytes;

    private CallChecksum() {}

    /** Of all that was not decoded yet, data that travelled beside the stream included. */
    public static long ofUnread(Xdr call) {
        CallChecksum checksum = new CallChecksum();
        if (call instanceof UnreadBytes unread) {
            unread.forEachUnread(checksum::add);
        } else {
            // oncrpc4j's own stream has all of a call in one buffer.
            checksum.add(call.asBuffer().toByteBuffer());
        }
        return checksum.crc.getValue() << Integer.SIZE ^ checksum.lengthBytes;
    }

    private void add(ByteBuffer piece) {
        lengthBytes += piece.remaining();
        crc.update(piece.duplicate());
    }
}
