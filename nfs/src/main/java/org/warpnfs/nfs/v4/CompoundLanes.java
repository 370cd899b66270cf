package org.warpnfs.nfs.v4;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Chooses the lanes of operations, and the lane in which a COMPOUND starts.
 *
 * <p>{@link #QUICK} operations never wait, and GETATTR and READ are tried on the event loop: what they read is nearly
 * always in memory. A long READ stays there only if its data need no copy, which would hold up the other connections of
 * the thread.
 *
 * <p>Reads undecoded arguments and checks nothing. An operation that changes metadata waits for at least one fsync.
 * CLOSE may free the blocks of a file that lost its last name. READDIR moves a listing, and must not wait behind the
 * same client's syncs. Locks may be taken on files of the host, which may be slow.
 */
final class CompoundLanes {
    /** In OPEN, the owner precedes the word that says whether it creates a file. */
    private static final int OPEN_LOOK_BYTES = 1100;

    private static final int LOOK_BYTES = 64;

    /** More than the number of operations that a Linux client puts before the one that decides. */
    private static final int MAX_SKIPPED_OPERATIONS = 8;

    private static final int STATEID_BYTES = 16;
    private static final int SEQUENCE_BYTES = 32;
    private static final int UNSTABLE = 0;
    private static final int CREATE = 1;

    /** Operations that touch only memory of this server, or stop before they wait. */
    private static final Set<OpCode> QUICK = EnumSet.of(
            OpCode.SEQUENCE,
            OpCode.PUTFH,
            OpCode.PUTROOTFH,
            OpCode.PUTPUBFH,
            OpCode.GETFH,
            OpCode.SAVEFH,
            OpCode.RESTOREFH,
            OpCode.RENEW,
            OpCode.GETATTR,
            OpCode.READ);

    private static final Set<OpCode> ALWAYS_SHORT = EnumSet.noneOf(OpCode.class);

    static {
        for (OpCode code : OpCode.values()) {
            if (code != OpCode.OPEN && of(code, ByteBuffer.allocate(0), Lane.SHORT) == Lane.SHORT) {
                ALWAYS_SHORT.add(code);
            }
        }
    }

    private CompoundLanes() {}

    /** How many bytes of an operation's arguments {@link #of} reads. */
    static int lookBytes(OpCode code) {
        return code == OpCode.OPEN ? OPEN_LOOK_BYTES : LOOK_BYTES;
    }

    /**
     * The lane of one operation.
     *
     * @param arguments from position; perhaps incomplete
     * @param earliest the first lane that may be used
     */
    static Lane of(OpCode code, ByteBuffer arguments, Lane earliest) {
        return earliest == Lane.EVENT_LOOP && QUICK.contains(code) ? Lane.EVENT_LOOP : of(code, arguments);
    }

    private static Lane of(OpCode code, ByteBuffer arguments) {
        return switch (code) {
            case READ, READ_PLUS, READDIR, SEEK, LOCK, LOCKT, LOCKU -> Lane.DATA;
            case WRITE -> wordAt(arguments, STATEID_BYTES + Long.BYTES, UNSTABLE) == UNSTABLE ? Lane.DATA : Lane.LONG;
            case OPEN -> creates(arguments) ? Lane.LONG : Lane.SHORT;
            case COMMIT,
                    CREATE,
                    CLOSE,
                    LINK,
                    REMOVE,
                    RENAME,
                    SETATTR,
                    SETXATTR,
                    REMOVEXATTR,
                    ALLOCATE,
                    DEALLOCATE,
                    COPY,
                    CLONE -> Lane.LONG;
            default -> Lane.SHORT;
        };
    }

    /** True if the operation belongs to no later lane than {@code lane}, whatever its arguments are. */
    static boolean mayStay(OpCode code, Lane lane) {
        boolean tried = QUICK.contains(code) && code != OpCode.READ;
        return lane == Lane.EVENT_LOOP ? tried : ALWAYS_SHORT.contains(code);
    }

    /** The lane in which an operation goes on that would have to wait on an event loop. */
    static Lane ofPostponed(OpCode code) {
        return of(code, ByteBuffer.allocate(0));
    }

    /**
     * The lane in which a COMPOUND starts: that of its first operation that is neither quick nor short, as far as the
     * bytes at hand show.
     *
     * @param earliest the first lane that may be used
     */
    static Lane ofCompound(ByteBuffer arguments, Lane earliest) {
        ByteBuffer in = arguments.duplicate();
        if (!skipOpaque(in) || in.remaining() < 2 * Integer.BYTES) {
            return Lane.SHORT;
        }
        int minorVersion = in.getInt();
        // A repetition of a call of minor version 0 is performed on the thread where the first one ended.
        Lane lane = minorVersion == 0 ? Lane.SHORT : earliest;
        int count = in.getInt();
        for (int i = 0; i != count && i < MAX_SKIPPED_OPERATIONS && in.remaining() >= Integer.BYTES; i++) {
            OpCode code = OpCode.of(in.getInt(), minorVersion);
            if (code == null) {
                return Lane.SHORT;
            }
            Lane next = of(code, in, lane);
            lane = next.compareTo(lane) > 0 ? next : lane;
            if (lane.compareTo(Lane.SHORT) > 0 || !skip(code, in)) {
                return lane;
            }
        }
        return lane;
    }

    /** OPEN4args: seqid, share_access, share_deny, open_owner4 { clientid, opaque }, opentype. */
    private static boolean creates(ByteBuffer arguments) {
        ByteBuffer in = arguments.duplicate();
        int fixedBytes = 3 * Integer.BYTES + Long.BYTES;
        if (in.remaining() < fixedBytes) {
            return false;
        }
        in.position(in.position() + fixedBytes);
        return skipOpaque(in) && wordAt(in, 0, 0) == CREATE;
    }

    private static boolean skip(OpCode code, ByteBuffer in) {
        return switch (code) {
            case SEQUENCE -> skip(SEQUENCE_BYTES, in);
            case PUTFH, LOOKUP -> skipOpaque(in);
            case PUTROOTFH, PUTPUBFH, SAVEFH, RESTOREFH, GETFH, LOOKUPP -> true;
            case ACCESS -> skip(Integer.BYTES, in);
            case RENEW -> skip(Long.BYTES, in);
            case READ -> skip(STATEID_BYTES + Long.BYTES + Integer.BYTES, in);
            case GETATTR -> {
                int words = wordAt(in, 0, -1);
                yield words >= 0 && words <= in.remaining() / Integer.BYTES && skip((1 + words) * Integer.BYTES, in);
            }
            default -> false;
        };
    }

    private static boolean skipOpaque(ByteBuffer in) {
        int lengthBytes = wordAt(in, 0, -1);
        return lengthBytes >= 0 && lengthBytes <= in.remaining() && skip(Integer.BYTES + (lengthBytes + 3 & ~3), in);
    }

    private static boolean skip(int bytes, ByteBuffer in) {
        if (in.remaining() < bytes) {
            return false;
        }
        in.position(in.position() + bytes);
        return true;
    }

    private static int wordAt(ByteBuffer in, int offset, int ifAbsent) {
        return in.remaining() < offset + Integer.BYTES ? ifAbsent : in.getInt(in.position() + offset);
    }

    /**
     * How much a READ or READ_PLUS asks for, unchecked: stateid4, offset4, count4. Both begin with the same arguments.
     *
     * @param maxBytes limit of one READ
     * @return 0 for any other operation, or if it asks for nothing
     */
    static int payloadBytes(@Nullable OpCode code, ByteBuffer arguments, int maxBytes) {
        if ((code != OpCode.READ && code != OpCode.READ_PLUS)
                || arguments.remaining() < STATEID_BYTES + Long.BYTES + Integer.BYTES) {
            return 0;
        }
        int at = arguments.position() + STATEID_BYTES;
        return FileData.memoryBytes(
                arguments.getLong(at), Integer.toUnsignedLong(arguments.getInt(at + Long.BYTES)), maxBytes);
    }
}
