package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;
import org.warpnfs.iwarp.io.BigEndian;

/**
 * The first four bytes of the private data of an enhanced frame (RFC 6581, section 9).
 *
 * <pre>
 * bytes  0x8000                      0x4000                                   0x3fff
 * 0-1    A: an RTR opens the stream  B: RTR may be a zero-length FPDU or Send  IRD
 * 2-3    C: RTR may be an RDMA Write D: RTR may be an RDMA Read                ORD
 * </pre>
 *
 * @param peerToPeer A: the initiator sends a ready-to-receive indication before anything else
 * @param fpduRtr B: it may be a zero-length FPDU, or a zero-length Send
 * @param writeRtr C: it may be a zero-length RDMA Write
 * @param readRtr D: it may be a zero-length RDMA Read
 * @param ird RDMA Reads that the sender of the frame holds for its peer, or {@link #NOT_NEGOTIATED}
 * @param ord RDMA Reads that the sender of the frame keeps outstanding, or {@link #NOT_NEGOTIATED}
 */
public record EnhancedBlock(boolean peerToPeer, boolean fpduRtr, boolean writeRtr, boolean readRtr, int ird, int ord) {
    /** Length of the block. */
    public static final int BYTES = 4;

    /** In place of a number: the upper layers settle it between themselves. */
    public static final int NOT_NEGOTIATED = 0x3fff;

    private static final int FIRST_FLAG = 0x8000;
    private static final int SECOND_FLAG = 0x4000;

    public EnhancedBlock {
        if (ird < 0 || ird > NOT_NEGOTIATED || ord < 0 || ord > NOT_NEGOTIATED) {
            throw new IllegalArgumentException("IRD " + ird + " or ORD " + ord + " is wider than 14 bits");
        }
    }

    /** A block without peer-to-peer mode. */
    public static EnhancedBlock of(int ird, int ord) {
        return new EnhancedBlock(false, false, false, false, ird, ord);
    }

    /** A block of peer-to-peer mode that names these kinds of RTR. */
    static EnhancedBlock peerToPeer(Set<RtrKind> kinds, int ird, int ord) {
        return new EnhancedBlock(
                true,
                kinds.contains(RtrKind.FPDU) || kinds.contains(RtrKind.SEND),
                kinds.contains(RtrKind.WRITE),
                kinds.contains(RtrKind.READ),
                ird,
                ord);
    }

    /** The kinds of RTR that the block names: none outside of peer-to-peer mode, where B, C and D mean nothing. */
    Set<RtrKind> rtrKinds() {
        Set<RtrKind> kinds = EnumSet.noneOf(RtrKind.class);
        if (peerToPeer && writeRtr) {
            kinds.add(RtrKind.WRITE);
        }
        if (peerToPeer && fpduRtr) {
            kinds.add(RtrKind.FPDU);
            kinds.add(RtrKind.SEND);
        }
        if (peerToPeer && readRtr) {
            kinds.add(RtrKind.READ);
        }
        return kinds;
    }

    /** The IRD, if it is a number. */
    public OptionalInt irdIfNamed() {
        return ird == NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(ird);
    }

    /** The ORD, if it is a number. */
    public OptionalInt ordIfNamed() {
        return ord == NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(ord);
    }

    /** Parses the first four bytes of private data that holds as many. */
    static EnhancedBlock parse(ByteBuffer privateData) {
        int first = BigEndian.u16(privateData, privateData.position());
        int second = BigEndian.u16(privateData, privateData.position() + 2);
        return new EnhancedBlock(
                (first & FIRST_FLAG) != 0,
                (first & SECOND_FLAG) != 0,
                (second & FIRST_FLAG) != 0,
                (second & SECOND_FLAG) != 0,
                first & NOT_NEGOTIATED,
                second & NOT_NEGOTIATED);
    }

    /** Appends the block. */
    void encode(ByteBuffer out) {
        BigEndian.putU16(out, (peerToPeer ? FIRST_FLAG : 0) | (fpduRtr ? SECOND_FLAG : 0) | ird);
        BigEndian.putU16(out, (writeRtr ? FIRST_FLAG : 0) | (readRtr ? SECOND_FLAG : 0) | ord);
    }

    /** Private data of an enhanced frame: this block, then what belongs to the upper layer. */
    public ByteBuffer followedBy(ByteBuffer upperLayerPrivateData) {
        ByteBuffer joined = ByteBuffer.allocate(BYTES + upperLayerPrivateData.remaining());
        encode(joined);
        return joined.put(upperLayerPrivateData.duplicate()).flip();
    }
}
