package org.warpnfs.rpcrdma.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The three lists of a message that carries or describes an RPC message (RFC 8166, section 4.3).
 *
 * <pre>
 * Read list    { 1, ReadSegment (20) }*, 0
 * Write list   { 1, WriteChunk }*, 0
 * Reply chunk  0  or  1, WriteChunk
 * </pre>
 *
 * @param readList in wire order
 * @param writeList in wire order, which is the order of the results (RFC 8267, section 5)
 * @param replyChunk memory for the whole reply
 */
public record ChunkLists(List<ReadSegment> readList, List<WriteChunk> writeList, Optional<WriteChunk> replyChunk) {
    /** No chunks. Encoded as 12 bytes of zero. */
    public static final ChunkLists NONE = new ChunkLists(List.of(), List.of(), Optional.empty());

    private static final int PRESENT = 1;
    private static final int ABSENT = 0;

    public ChunkLists {
        readList = List.copyOf(readList);
        writeList = List.copyOf(writeList);
    }

    /** Whether there is no chunk of any kind. */
    public boolean isEmpty() {
        return readList.isEmpty() && writeList.isEmpty() && replyChunk.isEmpty();
    }

    /** The length on the wire. */
    public int encodedLengthBytes() {
        int bytes = 12 + readList.size() * (4 + ReadSegment.ENCODED_BYTES);
        for (int i = 0; i < writeList.size(); i++) {
            WriteChunk chunk = writeList.get(i);
            bytes += 4 + chunk.encodedLengthBytes();
        }
        return bytes + replyChunk.map(WriteChunk::encodedLengthBytes).orElse(0);
    }

    static ChunkLists parse(ByteBuffer in, long xid, HeaderLimits limits) throws RpcRdmaViolation {
        List<ReadSegment> readList = parseReadList(in, xid, limits);
        List<WriteChunk> writeList = parseWriteList(in, xid, limits);
        Optional<WriteChunk> replyChunk =
                present(in, xid) ? Optional.of(parseWriteChunk(in, xid, limits)) : Optional.empty();
        return new ChunkLists(readList, writeList, replyChunk);
    }

    private static List<ReadSegment> parseReadList(ByteBuffer in, long xid, HeaderLimits limits)
            throws RpcRdmaViolation {
        List<ReadSegment> entries = List.of();
        long leftBytes = limits.maxReadListBytes();
        while (present(in, xid)) {
            require(in, ReadSegment.ENCODED_BYTES, xid);
            if (entries.isEmpty()) {
                entries = new ArrayList<>(4);
            }
            if (entries.size() == limits.maxReadSegments()) {
                throw RpcRdmaViolation.chunk(xid, "Read list of more than " + limits.maxReadSegments() + " segments");
            }
            long position = Integer.toUnsignedLong(in.getInt());
            if ((position & 3) != 0) {
                throw RpcRdmaViolation.chunk(xid, "Read chunk at position " + position);
            }
            RdmaSegment segment = RdmaSegment.parse(in);
            if (segment.lengthBytes() > leftBytes) {
                throw RpcRdmaViolation.chunk(xid, "Read list of more than " + limits.maxReadListBytes() + " bytes");
            }
            leftBytes -= segment.lengthBytes();
            entries.add(new ReadSegment(position, segment));
        }
        return entries;
    }

    private static List<WriteChunk> parseWriteList(ByteBuffer in, long xid, HeaderLimits limits)
            throws RpcRdmaViolation {
        List<WriteChunk> chunks = List.of();
        while (present(in, xid)) {
            if (chunks.isEmpty()) {
                chunks = new ArrayList<>(2);
            }
            if (chunks.size() == limits.maxWriteChunks()) {
                throw RpcRdmaViolation.chunk(xid, "Write list of more than " + limits.maxWriteChunks() + " chunks");
            }
            chunks.add(parseWriteChunk(in, xid, limits));
        }
        return chunks;
    }

    private static WriteChunk parseWriteChunk(ByteBuffer in, long xid, HeaderLimits limits) throws RpcRdmaViolation {
        require(in, 4, xid);
        long count = Integer.toUnsignedLong(in.getInt());
        if (count > in.remaining() / RdmaSegment.ENCODED_BYTES) {
            throw RpcRdmaViolation.chunk(xid, "chunk of " + count + " segments in " + in.remaining() + " bytes");
        }
        if (count > limits.maxSegmentsPerChunk()) {
            throw RpcRdmaViolation.chunk(xid, "chunk of more than " + limits.maxSegmentsPerChunk() + " segments");
        }
        List<RdmaSegment> segments = new ArrayList<>((int) count);
        for (int i = 0; i < count; i++) {
            segments.add(RdmaSegment.parse(in));
        }
        return new WriteChunk(segments);
    }

    private static boolean present(ByteBuffer in, long xid) throws RpcRdmaViolation {
        require(in, 4, xid);
        int word = in.getInt();
        return switch (word) {
            case PRESENT -> true;
            case ABSENT -> false;
            default -> throw RpcRdmaViolation.chunk(xid, "list item marked " + Integer.toUnsignedString(word));
        };
    }

    private static void require(ByteBuffer in, int bytes, long xid) throws RpcRdmaViolation {
        if (in.remaining() < bytes) {
            throw RpcRdmaViolation.chunk(xid, "header ends inside its chunk lists");
        }
    }

    void encode(ByteBuffer out) {
        for (ReadSegment entry : readList) {
            out.putInt(PRESENT);
            entry.encode(out);
        }
        out.putInt(ABSENT);
        for (int i = 0; i < writeList.size(); i++) {
            WriteChunk chunk = writeList.get(i);
            out.putInt(PRESENT);
            chunk.encode(out);
        }
        out.putInt(ABSENT);
        if (replyChunk.isPresent()) {
            out.putInt(PRESENT);
            replyChunk.get().encode(out);
        } else {
            out.putInt(ABSENT);
        }
    }
}
