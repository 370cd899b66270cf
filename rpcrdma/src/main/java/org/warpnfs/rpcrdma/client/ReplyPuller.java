package org.warpnfs.rpcrdma.client;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.chunk.ReadChunk;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/**
 * Reads the replies that a responder exposes (RFC 5666, section 3.8), one after another and with one RDMA Read at a
 * time.
 *
 * <h2>Buffers</h2>
 *
 * Each reply is read into memory of its own, up to the limit. The memory is passed on with the reply.
 *
 * <h2>Errors</h2>
 *
 * A Read that fails ends the connection. {@link #close} then returns the calls that were not complete. For the owner
 * thread only.
 */
final class ReplyPuller {
    private record Piece(ByteBuffer sink, RdmaSegment segment) {}

    private static final class Pull {
        private final PendingCall call;
        private final ChunkLists lists;
        private final CallLayout layout;
        private final ByteBuffer inline;
        private final List<ByteBuffer> sinks = new ArrayList<>();
        private final Queue<Piece> pieces = new ArrayDeque<>();

        Pull(PendingCall call, ChunkLists lists, CallLayout layout, ByteBuffer inline) {
            this.call = call;
            this.lists = lists;
            this.layout = layout;
            this.inline = inline;
            for (ReadChunk chunk : layout.chunks()) {
                ByteBuffer sink = ByteBuffer.allocateDirect(chunk.lengthBytes());
                sinks.add(sink);
                int taken = 0;
                for (RdmaSegment segment : chunk.segments()) {
                    int lengthBytes = (int) segment.lengthBytes();
                    if (lengthBytes > 0) {
                        pieces.add(new Piece(sink.slice(taken, lengthBytes), segment));
                    }
                    taken += lengthBytes;
                }
            }
        }
    }

    private final long maxReplyBytes;
    private final Queue<Pull> pulls = new ArrayDeque<>();
    private @Nullable MemoryRegion region;

    /** @param maxReplyBytes the longest reply that is read; 0 for none */
    ReplyPuller(long maxReplyBytes) {
        this.maxReplyBytes = maxReplyBytes;
    }

    /**
     * Takes a reply with a Read list.
     *
     * @param inline the bytes after the header; copied
     * @return null, or a fault of the reply, with which the call has failed
     */
    @Nullable
    String pull(QueuePair queuePair, PendingCall call, RpcRdmaHeader header, ChunkLists lists, ByteBuffer inline) {
        CallLayout layout;
        try {
            if (header instanceof RdmaNomsg) {
                layout = CallLayout.ofLong(header.xid(), lists.readList());
            } else if (header instanceof RdmaMsgp msgp) {
                layout = CallLayout.ofPadded(msgp, inline.remaining());
            } else {
                layout = CallLayout.ofInline(header.xid(), lists.readList(), inline.remaining());
            }
        } catch (RpcRdmaViolation violation) {
            return call.bad(String.valueOf(violation.getMessage()));
        }
        if (layout.lengthBytes() > maxReplyBytes) {
            return call.bad("a reply of " + layout.lengthBytes() + " bytes to be read, of which " + maxReplyBytes
                    + " are allowed");
        }
        if (queuePair.parameters().ord() == 0) {
            return call.bad("a reply to be read, where no RDMA Read was agreed on");
        }
        ByteBuffer copy = ByteBuffer.allocate(inline.remaining()).put(inline).flip();
        pulls.add(new Pull(call, lists, layout, copy));
        if (pulls.size() == 1) {
            readNext(queuePair);
        }
        return null;
    }

    /**
     * The RDMA Read in progress has completed.
     *
     * @param complete is called with the call if that was its last Read, before the call's handler is called
     * @return null, or a fault of the reply
     */
    @Nullable
    String readDone(QueuePair queuePair, Consumer<PendingCall> complete) {
        takeBack();
        Pull pull = pulls.element();
        if (!pull.pieces.isEmpty()) {
            readNext(queuePair);
            return null;
        }
        pulls.remove();
        if (!pulls.isEmpty()) {
            readNext(queuePair);
        }
        complete.accept(pull.call);
        return pull.call.completeRead(pull.lists, pull.layout.assemble(pull.inline, pull.sinks));
    }

    /** The number of replies that are being read. An RDMA_DONE is owed for each. */
    int owed() {
        return pulls.size();
    }

    /** Whether a reply is being read whose call has passed its deadline. */
    boolean overdue(long nowNanos) {
        for (Pull pull : pulls) {
            long deadlineNanos = pull.call.deadlineNanos();
            if (deadlineNanos != Requester.NO_DEADLINE && nowNanos - deadlineNanos > 0) {
                return true;
            }
        }
        return false;
    }

    /** The connection has ended. Takes the calls whose replies have not been read completely. */
    List<PendingCall> close() {
        takeBack();
        List<PendingCall> calls = pulls.stream().map(pull -> pull.call).toList();
        pulls.clear();
        return calls;
    }

    private void readNext(QueuePair queuePair) {
        Piece piece = pulls.element().pieces.remove();
        region = queuePair.register(piece.sink, Set.of(AccessRight.LOCAL_WRITE));
        RemoteMemory source = new RemoteMemory(piece.segment.handle(), piece.segment.offset());
        queuePair.post(new WorkRequest.RdmaRead(0, region, 0, (int) piece.segment.lengthBytes(), source));
    }

    private void takeBack() {
        if (region != null) {
            region.invalidate();
            region = null;
        }
    }
}
