package org.warpnfs.nfs.v3;

import java.nio.ByteBuffer;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.export.NfsHandles;

/**
 * Chooses the lane of a call by its procedure (RFC 1813, section 3.3). A procedure that changes metadata waits for at
 * least one fsync. READDIR moves a listing, and must not wait behind the same client's syncs. GETATTR and READ are
 * tried on the event loop, since what they read is nearly always in memory.
 */
final class Nfs3Lanes {
    private static final int NULL = 0;
    private static final int GETATTR = 1;
    private static final int SETATTR = 2;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int LINK = 15;
    private static final int READDIR = 16;
    private static final int READDIRPLUS = 17;
    private static final int COMMIT = 21;

    private static final int UNSTABLE = 0;

    private Nfs3Lanes() {}

    /**
     * @param arguments unchecked, perhaps incomplete
     * @param earliest the first lane that may be used
     */
    static Lane of(int procedure, ByteBuffer arguments, Lane earliest) {
        return switch (procedure) {
            case NULL, GETATTR -> earliest;
            case READ -> earliest == Lane.EVENT_LOOP ? earliest : Lane.DATA;
            default -> of(procedure, arguments);
        };
    }

    /** The lane in which a call goes on that would have to wait on an event loop. */
    static Lane ofPostponed(int procedure) {
        return of(procedure, ByteBuffer.allocate(0));
    }

    private static Lane of(int procedure, ByteBuffer arguments) {
        return switch (procedure) {
            case READ, READDIR, READDIRPLUS -> Lane.DATA;
            case WRITE -> stableHow(arguments) == UNSTABLE ? Lane.DATA : Lane.LONG;
            case SETATTR, COMMIT -> Lane.LONG;
            default -> procedure > WRITE && procedure <= LINK ? Lane.LONG : Lane.SHORT;
        };
    }

    /** WRITE3args: nfs_fh3 file, offset3 offset, count3 count, stable_how stable. */
    private static int stableHow(ByteBuffer arguments) {
        return wordAfterHandle(arguments, Long.BYTES + Integer.BYTES, UNSTABLE);
    }

    private static int wordAfterHandle(ByteBuffer arguments, int offsetBytes, int ifAbsent) {
        if (arguments.remaining() < Integer.BYTES) {
            return ifAbsent;
        }
        int handleBytes = arguments.getInt(arguments.position());
        if (handleBytes < 0 || handleBytes > NfsHandles.MAX_LENGTH_BYTES) {
            return ifAbsent;
        }
        int at = Integer.BYTES + (handleBytes + 3 & ~3) + offsetBytes;
        return arguments.remaining() < at + Integer.BYTES ? ifAbsent : arguments.getInt(arguments.position() + at);
    }
}
