package org.warpnfs.rpcrdma.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.chunk.ReadChunk;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.trace.CallTrace;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/**
 * The state of one call in the responder.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * state     | event                    -> state,   output
 * ----------+----------------------------------------------------------------
 * (none)    | received, nothing to pull -> RUNNING, handed to the RPC layer
 * (none)    | received, chunks to pull  -> WAITING
 * WAITING   | memory for its sink       -> PULLING, RDMA Reads queued
 * PULLING   | last byte placed          -> RUNNING, handed to the RPC layer
 * (none),
 * PULLING   | complete, of another XID  -> (gone),  ERR_CHUNK, buffers given back
 * WAITING,
 * PULLING   | connection ended          -> (gone),  sink given back
 * RUNNING   | reply or drop, any thread -> ENDING,  queued for the owner thread
 * ENDING    | owner thread              -> WAITING TO LEAVE, sink given back, reply handed to the {@link ReplySender}
 * ENDING    | owner thread, no reply    -> (gone),  sink, receive buffer and credit given back
 * WAITING TO LEAVE | its turn, or the connection ended -> (gone), receive buffer and credit given back
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * Holds one receive buffer and at most one sink from the payload pool. The sink contains the chunks, one after the
 * other. Both are lent to the RPC layer while RUNNING, even if the connection ends meanwhile. The sink is given back
 * when the call ends, the receive buffer when its answer is sent.
 *
 * <h2>Errors</h2>
 *
 * See {@link InboundCall}. All methods except {@link #reply}, {@link #drop} and {@link #holds} are for the owner
 * thread.
 */
final class RdmaCall implements InboundCall {
    /** Each chunk starts on a page of the sink, so that a backend can write from it directly. */
    private static final int SINK_ALIGNMENT_BYTES = 4096;

    /**
     * A smaller chunk is filled from memory. Each FPDU from a file is one or two system calls and may wake the
     * requester, while one gathering write sends many FPDUs from memory.
     */
    private static final int LEAST_RANGE_BYTES = 512 << 10;

    /** Is told once of each call that has ended, on any thread. */
    interface Endings {
        void ended(RdmaCall call, @Nullable RpcMessage reply);
    }

    private final Endings endings;
    private final CallTrace trace;
    private final long xid;
    private final long creditsWanted;
    private final ChunkLists lists;
    private final CallLayout layout;
    private final int receiveNumber;
    private final ByteBuffer inline;
    private final AtomicBoolean ended = new AtomicBoolean();
    private @Nullable Payload sink;
    private @Nullable MemoryRegion region;
    private @Nullable XdrStream stream;
    private @Nullable CalledProcedure called;
    private int readsLeft;
    private long reservedReplyBytes;
    private boolean takesRanges;

    /** @param inline the bytes after the header, in receive buffer {@code receiveNumber} */
    RdmaCall(
            Endings endings,
            CallTrace trace,
            RpcRdmaHeader header,
            ChunkLists lists,
            CallLayout layout,
            int receiveNumber,
            ByteBuffer inline) {
        this.endings = endings;
        this.trace = trace;
        this.xid = header.xid();
        this.creditsWanted = header.credits();
        this.lists = lists;
        this.layout = layout;
        this.receiveNumber = receiveNumber;
        this.inline = inline;
    }

    CallTrace trace() {
        return trace;
    }

    long xid() {
        return xid;
    }

    long creditsWanted() {
        return creditsWanted;
    }

    ChunkLists lists() {
        return lists;
    }

    CallLayout layout() {
        return layout;
    }

    /** The procedure that the call names. Empty until the call is assembled, and if it is too short. */
    Optional<CalledProcedure> called() {
        return Optional.ofNullable(called);
    }

    int receiveNumber() {
        return receiveNumber;
    }

    /** The room for reply data in its Write chunks. */
    long writeChunkBytes() {
        long bytes = 0;
        for (int i = 0; i < lists.writeList().size(); i++) {
            WriteChunk chunk = lists.writeList().get(i);
            bytes += chunk.lengthBytes();
        }
        return bytes;
    }

    /** The room for the whole reply in its Reply chunk. */
    long replyChunkBytes() {
        return lists.replyChunk().map(WriteChunk::lengthBytes).orElse(0L);
    }

    /** The amount that the {@link RunQueue} has taken of the budget for its reply. */
    long reservedReplyBytes() {
        return reservedReplyBytes;
    }

    void setReservedReplyBytes(long bytes) {
        reservedReplyBytes = bytes;
    }

    /**
     * The memory for the reply was reserved according to the room in the call's chunks. A longer reply could not be
     * sent.
     */
    @Override
    public boolean holds(long replyBytes) {
        return replyBytes <= reservedReplyBytes;
    }

    /** The memory that is needed to pull the chunks. */
    long sinkBytes() {
        long bytes = 0;
        for (int i = 0; i < layout.chunks().size(); i++) {
            ReadChunk chunk = layout.chunks().get(i);
            bytes = align(bytes) + chunk.lengthBytes();
        }
        return bytes;
    }

    /** Sets whether RDMA Writes may send from files. */
    void setTakesRanges(boolean takes) {
        takesRanges = takes;
    }

    /** The room of the first Write chunk, where the first payload goes. */
    @Override
    public int maxRangeBytes() {
        if (!takesRanges || lists.writeList().isEmpty()) {
            return 0;
        }
        long roomBytes = lists.writeList().getFirst().lengthBytes();
        return roomBytes < LEAST_RANGE_BYTES ? 0 : (int) Math.min(roomBytes, Integer.MAX_VALUE);
    }

    /** True if it has a sink. */
    @Override
    public boolean holdsMemory() {
        return !layout.chunks().isEmpty();
    }

    @Nullable
    Payload sink() {
        return sink;
    }

    void setSink(Payload payload) {
        sink = payload;
    }

    /** Removes the sink from the call; the caller releases it. */
    @Nullable
    Payload takeSink() {
        Payload taken = sink;
        sink = null;
        return taken;
    }

    @Nullable
    MemoryRegion region() {
        return region;
    }

    void setRegion(@Nullable MemoryRegion registered) {
        region = registered;
    }

    void setReadsLeft(int reads) {
        readsLeft = reads;
    }

    /** One RDMA Read has completed. Returns true if it was the last. */
    boolean readDone() {
        readsLeft--;
        return readsLeft == 0;
    }

    /**
     * Assembles the message, because every chunk has been placed in the sink.
     *
     * @return false if the message does not begin with the XID of its header (RFC 5666, section 4.1)
     */
    boolean assemble() {
        List<ByteBuffer> pulled = new ArrayList<>(layout.chunks().size());
        long offset = 0;
        for (int i = 0; i < layout.chunks().size(); i++) {
            ReadChunk chunk = layout.chunks().get(i);
            offset = align(offset);
            pulled.add(sink == null ? ByteBuffer.allocate(0) : sink.buffer().slice((int) offset, chunk.lengthBytes()));
            offset += chunk.lengthBytes();
        }
        XdrStream whole = layout.assemble(inline, pulled);
        boolean sound = whole.remainingBytes() >= Integer.BYTES && Integer.toUnsignedLong(whole.readInt()) == xid;
        whole.rewind();
        called = CalledProcedure.of(whole).orElse(null);
        stream = whole;
        return sound;
    }

    static long align(long offsetBytes) {
        return (offsetBytes + SINK_ALIGNMENT_BYTES - 1) & -SINK_ALIGNMENT_BYTES;
    }

    @Override
    public XdrStream arguments() {
        if (stream == null) {
            throw new IllegalStateException("the call is not complete");
        }
        return stream;
    }

    @Override
    public void reply(RpcMessage reply) {
        if (!ended.compareAndSet(false, true)) {
            reply.release();
            throw new IllegalStateException("call " + xid + " ended twice");
        }
        endings.ended(this, reply);
    }

    @Override
    public void drop() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("call " + xid + " ended twice");
        }
        endings.ended(this, null);
    }
}
