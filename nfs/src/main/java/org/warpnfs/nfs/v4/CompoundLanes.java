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
 * <p>Reads undecoded arguments and checks nothing. An operation that changes metadata waits for at least one fsync.
 * CLOSE may free the blocks of a file that lost its last name. READDIR moves a listing, and must not wait behind the
 * same client's syncs.
 */
final class CompoundLanes {
    /**
     * How many bytes of an operation's arguments {@link #of} reads. In OPEN, the owner precedes the word that says
     * whether it creates a file.
     */
    static final int LOOK_BYTES = 1100;

    /** More than the number of operations that a Linux client puts before the one that decides. */
    private static final int MAX_SKIPPED_OPERATIONS = 8;

    private static final int STATEID_BYTES = 16;
    private static final int SEQUENCE_BYTES = 32;
    private static final int UNSTABLE = 0;
    private static final int CREATE = 1;

    private static final Set<OpCode> ALWAYS_SHORT = EnumSet.noneOf(OpCode.class);

    static {
        for (OpCode code : OpCode.values()) {
            if (code != OpCode.OPEN && of(code, ByteBuffer.allocate(0)) == Lane.SHORT) {
                ALWAYS_SHORT.add(code);
            }
        }
    }

    private CompoundLanes() {}

    /**
     * The lane of one operation.
     *
     * @param arguments from position; perhaps incomplete
     */
    static Lane of(OpCode code, ByteBuffer arguments) {
        return switch (code) {
            case READ, READ_PLUS, READDIR, SEEK -> Lane.DATA;
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

    /** True if {@link #of} returns SHORT for any arguments, as it does for most operations. */
    static boolean isShort(OpCode code) {
        return ALWAYS_SHORT.contains(code);
    }

    /**
     * The lane in which a COMPOUND starts: that of its first operation that is not short, as far as the bytes at hand
     * show.
     */
    static Lane ofCompound(ByteBuffer arguments) {
        ByteBuffer in = arguments.duplicate();
        if (!skipOpaque(in) || in.remaining() < 2 * Integer.BYTES) {
            return Lane.SHORT;
        }
        int minorVersion = in.getInt();
        int count = in.getInt();
        for (int i = 0; i != count && i < MAX_SKIPPED_OPERATIONS && in.remaining() >= Integer.BYTES; i++) {
            OpCode code = OpCode.of(in.getInt(), minorVersion);
            if (code == null) {
                return Lane.SHORT;
            }
            Lane lane = of(code, in);
            if (lane != Lane.SHORT || !skip(code, in)) {
                return lane;
            }
        }
        return Lane.SHORT;
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
