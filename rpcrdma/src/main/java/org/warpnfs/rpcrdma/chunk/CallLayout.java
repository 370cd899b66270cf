package org.warpnfs.rpcrdma.chunk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.warpnfs.rpcrdma.message.Padding;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * The layout of a call: how its pieces fit together (RFC 8166, sections 3.4.5 and 3.5).
 *
 * <p>Positions count in the unreduced message, so each already includes the data and the XDR pad of the chunks before
 * it. The body is the inline part or, in a long call, the Position-Zero chunk. The other chunks are inserted into it at
 * their positions.
 */
public final class CallLayout {
    /** Larger than the alignment of any receive buffer. */
    private static final int MAX_ALIGNMENT_BYTES = 1 << 16;

    private final List<ReadChunk> chunks;
    private final long lengthBytes;
    private final boolean longCall;
    private final Padding padding;

    private CallLayout(List<ReadChunk> chunks, boolean longCall, Padding padding) {
        this.chunks = List.copyOf(chunks);
        long sum = 0;
        for (int i = 0; i < chunks.size(); i++) {
            ReadChunk chunk = chunks.get(i);
            sum += chunk.lengthBytes();
        }
        this.lengthBytes = sum;
        this.longCall = longCall;
        this.padding = padding;
    }

    /**
     * The layout of an RDMA_MSG.
     *
     * @param inlineBytes the number of bytes after the header
     * @throws RpcRdmaViolation if a chunk has position zero or lies beyond the stream
     */
    public static CallLayout ofInline(long xid, List<ReadSegment> readList, int inlineBytes) throws RpcRdmaViolation {
        return ofInline(xid, readList, inlineBytes, Padding.NONE);
    }

    private static CallLayout ofInline(long xid, List<ReadSegment> readList, int inlineBytes, Padding padding)
            throws RpcRdmaViolation {
        List<ReadChunk> chunks = group(readList);
        if (!chunks.isEmpty() && chunks.getFirst().position() == 0) {
            throw RpcRdmaViolation.chunk(xid, "Position-Zero Read chunk in a message that came inline");
        }
        checkPositions(xid, chunks, inlineBytes);
        return new CallLayout(chunks, false, padding);
    }

    /**
     * The layout of an RDMA_NOMSG.
     *
     * @throws RpcRdmaViolation if there is no Position-Zero chunk or a chunk lies beyond the stream
     */
    public static CallLayout ofLong(long xid, List<ReadSegment> readList) throws RpcRdmaViolation {
        List<ReadChunk> chunks = group(readList);
        if (chunks.isEmpty() || chunks.getFirst().position() != 0) {
            throw RpcRdmaViolation.chunk(xid, "RDMA_NOMSG call without a Position-Zero Read chunk");
        }
        checkPositions(xid, chunks.subList(1, chunks.size()), chunks.getFirst().lengthBytes());
        return new CallLayout(chunks, true, Padding.NONE);
    }

    /**
     * The layout of an RDMA_MSGP (RFC 5666, section 3.9). Padding belongs to the transport and is not part of the XDR
     * stream, so positions do not count it. An item that is a chunk has no padding, because it is not in the Send.
     *
     * @param inlineBytes the number of bytes after the header
     * @throws RpcRdmaViolation if the alignment is not valid, or if a chunk has position zero or lies beyond the stream
     */
    public static CallLayout ofPadded(RdmaMsgp msgp, int inlineBytes) throws RpcRdmaViolation {
        long alignmentBytes = msgp.alignmentBytes();
        if (Long.bitCount(alignmentBytes) != 1 || alignmentBytes > MAX_ALIGNMENT_BYTES) {
            throw RpcRdmaViolation.chunk(msgp.xid(), "RDMA_MSGP with an alignment of " + alignmentBytes);
        }
        Padding padding = new Padding((int) alignmentBytes, msgp.thresholdBytes(), msgp.encodedLengthBytes());
        return ofInline(msgp.xid(), msgp.lists().readList(), inlineBytes, padding);
    }

    /** The chunks to pull, in order of position. A Position-Zero chunk comes first. */
    public List<ReadChunk> chunks() {
        return chunks;
    }

    /** The length of all chunks together. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** True if the first chunk is the body of the call. */
    public boolean longCall() {
        return longCall;
    }

    /**
     * Assembles the message.
     *
     * @param inline the bytes after the header, from position to limit
     * @param pulled one buffer for each of {@link #chunks()}, which holds exactly its bytes from position to limit
     */
    public XdrStream assemble(ByteBuffer inline, List<ByteBuffer> pulled) {
        ByteBuffer body = longCall ? pulled.getFirst() : inline;
        XdrStream.Builder stream = new XdrStream.Builder(body, padding);
        long cursor = 0;
        for (int i = longCall ? 1 : 0; i < chunks.size(); i++) {
            ReadChunk chunk = chunks.get(i);
            stream.inline((int) (chunk.position() - cursor)).chunk(pulled.get(i));
            cursor = chunk.position() + XdrStream.roundUp(chunk.lengthBytes());
        }
        return stream.build();
    }

    private static List<ReadChunk> group(List<ReadSegment> readList) {
        if (readList.isEmpty()) {
            return List.of();
        }
        if (samePosition(readList)) {
            List<RdmaSegment> segments = new ArrayList<>(readList.size());
            for (ReadSegment entry : readList) {
                segments.add(entry.segment());
            }
            return List.of(chunk(readList.getFirst().position(), segments));
        }
        Map<Long, List<RdmaSegment>> byPosition = new TreeMap<>();
        for (ReadSegment entry : readList) {
            byPosition
                    .computeIfAbsent(entry.position(), p -> new ArrayList<>(2))
                    .add(entry.segment());
        }
        List<ReadChunk> chunks = new ArrayList<>(byPosition.size());
        byPosition.forEach((position, segments) -> chunks.add(chunk(position, segments)));
        return chunks;
    }

    /**
     * Whether all entries have the same position. That is a quick test for nearly all calls, which have at most one
     * Read chunk.
     */
    private static boolean samePosition(List<ReadSegment> readList) {
        long first = readList.getFirst().position();
        for (ReadSegment entry : readList) {
            if (entry.position() != first) {
                return false;
            }
        }
        return true;
    }

    private static ReadChunk chunk(long position, List<RdmaSegment> segments) {
        long lengthBytes = 0;
        for (RdmaSegment segment : segments) {
            lengthBytes += segment.lengthBytes();
        }
        // The sum fits an int, because the header limits the length of the Read list.
        return new ReadChunk(position, segments, Math.toIntExact(lengthBytes));
    }

    private static void checkPositions(long xid, List<ReadChunk> chunks, int bodyBytes) throws RpcRdmaViolation {
        long cursor = 0;
        long leftBytes = bodyBytes;
        for (int i = 0; i < chunks.size(); i++) {
            ReadChunk chunk = chunks.get(i);
            long gapBytes = chunk.position() - cursor;
            if (gapBytes < 0) {
                throw RpcRdmaViolation.chunk(xid, "Read chunk at " + chunk.position() + " overlaps the one before");
            }
            if (gapBytes > leftBytes) {
                throw RpcRdmaViolation.chunk(xid, "Read chunk at " + chunk.position() + " lies beyond the message");
            }
            leftBytes -= gapBytes;
            cursor = chunk.position() + XdrStream.roundUp(chunk.lengthBytes());
        }
    }
}
