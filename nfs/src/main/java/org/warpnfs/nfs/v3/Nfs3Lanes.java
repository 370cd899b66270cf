package org.warpnfs.nfs.v3;

import java.nio.ByteBuffer;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.export.NfsHandles;

/**
 * Chooses the lane of a call by its procedure (RFC 1813, section 3.3). A procedure that changes metadata waits for at
 * least one fsync. READDIR moves a listing, and must not wait behind the same client's syncs.
 */
final class Nfs3Lanes {
    private static final int SETATTR = 2;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int LINK = 15;
    private static final int READDIR = 16;
    private static final int READDIRPLUS = 17;
    private static final int COMMIT = 21;

    private static final int UNSTABLE = 0;

    private Nfs3Lanes() {}

    /** @param arguments unchecked, perhaps incomplete */
    static Lane of(int procedure, ByteBuffer arguments) {
        return switch (procedure) {
            case READ, READDIR, READDIRPLUS -> Lane.DATA;
            case WRITE -> stableHow(arguments) == UNSTABLE ? Lane.DATA : Lane.LONG;
            case SETATTR, COMMIT -> Lane.LONG;
            default -> procedure > WRITE && procedure <= LINK ? Lane.LONG : Lane.SHORT;
        };
    }

    /** WRITE3args: nfs_fh3 file, offset3 offset, count3 count, stable_how stable. */
    private static int stableHow(ByteBuffer arguments) {
        if (arguments.remaining() < Integer.BYTES) {
            return UNSTABLE;
        }
        int handleBytes = arguments.getInt(arguments.position());
        if (handleBytes < 0 || handleBytes > NfsHandles.MAX_LENGTH_BYTES) {
            return UNSTABLE;
        }
        int at = Integer.BYTES + (handleBytes + 3 & ~3) + Long.BYTES + Integer.BYTES;
        return arguments.remaining() < at + Integer.BYTES ? UNSTABLE : arguments.getInt(arguments.position() + at);
    }
}
