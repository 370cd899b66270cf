package org.warpnfs.rpcrdma.testing;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.wire.PrivateData;

/** A responder whose messages the test writes byte by byte, on the latest connection. */
public final class RawResponder implements ConnectionRequestHandler, QueuePairHandler {
    private static final int RECEIVE_BYTES = 4096;

    public final List<ByteBuffer> received = new ArrayList<>();
    public final List<CompletionStatus> reads = new ArrayList<>();
    public DisconnectReason ended;
    public int connections;
    private QueuePair queuePair;

    @Override
    public void connectionRequested(ConnectionRequest request) {
        request.accept(new ConnectOptions(new PrivateData(true, 4096, 4096).encoded(), 4, 16), this);
    }

    /** Words in network order. */
    public static ByteBuffer words(int... words) {
        ByteBuffer out = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            out.putInt(word);
        }
        return out.flip();
    }

    /** An RDMA_MSG without chunks that grants credits and carries a successful reply without results. */
    public static ByteBuffer success(int xid, int credits) {
        return words(xid, 1, credits, 0, 0, 0, 0, xid, 1, 0, 0, 0, 0);
    }

    /** The XID of the received call number {@code index}. */
    public int xid(int index) {
        return received.get(index).getInt(0);
    }

    public void send(ByteBuffer message) {
        send(message, OptionalLong.empty());
    }

    public void send(ByteBuffer message, OptionalLong invalidate) {
        queuePair.post(new WorkRequest.Send(0, List.of(message), false, invalidate));
        queuePair.flush();
    }

    public void write(ByteBuffer data, long stag, long offset) {
        queuePair.post(new WorkRequest.RdmaWrite(0, List.of(data), new RemoteMemory(stag, offset)));
        queuePair.flush();
    }

    /** Lets the requester read these bytes. */
    public MemoryRegion expose(ByteBuffer bytes) {
        return queuePair.register(bytes, Set.of(AccessRight.REMOTE_READ));
    }

    /** Reads the requester's memory. {@link #reads} has the result. */
    public ByteBuffer read(long stag, long offset, int lengthBytes) {
        ByteBuffer sink = ByteBuffer.allocate(lengthBytes);
        MemoryRegion region = queuePair.register(sink, Set.of(AccessRight.LOCAL_WRITE));
        queuePair.post(new WorkRequest.RdmaRead(0, region, 0, lengthBytes, new RemoteMemory(stag, offset)));
        queuePair.flush();
        return sink;
    }

    public void abort() {
        queuePair.abort("the test wants it");
    }

    @Override
    public void created(QueuePair qp) {
        queuePair = qp;
        connections++;
        for (int i = 0; i < 200; i++) {
            qp.postReceive(i, ByteBuffer.allocate(RECEIVE_BYTES));
        }
    }

    @Override
    public void established(QueuePair qp) {
        // The first message reports the same.
    }

    @Override
    public void completed(QueuePair qp, Completion completion) {
        if (completion instanceof Completion.Received message && message.status() == CompletionStatus.SUCCESS) {
            received.add(message.buffer());
            qp.postReceive(0, ByteBuffer.allocate(RECEIVE_BYTES));
        }
        if (completion instanceof Completion.ReadDone read) {
            reads.add(read.status());
        }
    }

    @Override
    public void disconnected(QueuePair qp, DisconnectReason reason) {
        ended = reason;
    }
}
