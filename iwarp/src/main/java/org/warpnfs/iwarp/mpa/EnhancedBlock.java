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
 * @param fpduRtr B: the indication may be a zero-length FPDU, or a zero-length Send
 * @param writeRtr C: the indication may be a zero-length RDMA Write
 * @param readRtr D: the indication may be a zero-length RDMA Read
 * @param ird inbound RDMA Reads that the sender of the frame has room for (IRD), or {@link #NOT_NEGOTIATED}
 * @param ord outbound RDMA Reads that the sender of the frame may have outstanding (ORD), or {@link #NOT_NEGOTIATED}
 */
public record EnhancedBlock(boolean peerToPeer, boolean fpduRtr, boolean writeRtr, boolean readRtr, int ird, int ord) {
    public static final int BYTES = 4;

    /** The value of an IRD or ORD that the upper layers settle between themselves. */
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

    /** The kinds of RTR that the block names. Empty outside of peer-to-peer mode, where B, C and D mean nothing. */
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

    /** The IRD; empty if it is {@link #NOT_NEGOTIATED}. */
    public OptionalInt irdIfNamed() {
        return ird == NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(ird);
    }

    /** The ORD; empty if it is {@link #NOT_NEGOTIATED}. */
    public OptionalInt ordIfNamed() {
        return ord == NOT_NEGOTIATED ? OptionalInt.empty() : OptionalInt.of(ord);
    }

    /** Parses the first four bytes of private data. The caller has checked that there are four. */
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

    /** The private data of an enhanced frame: this block, followed by the upper layer's private data. */
    public ByteBuffer followedBy(ByteBuffer upperLayerPrivateData) {
        ByteBuffer joined = ByteBuffer.allocate(BYTES + upperLayerPrivateData.remaining());
        encode(joined);
        return joined.put(upperLayerPrivateData.duplicate()).flip();
    }
}
