package org.warpnfs.rpcrdma.testing;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaSegment;

/** A requester whose messages the test writes byte by byte. */
public final class RawRequester implements QueuePairHandler {
    public final List<ByteBuffer> received = new ArrayList<>();
    /** STags of ours that messages invalidated. */
    public final List<Long> invalidated = new ArrayList<>();

    public final List<CompletionStatus> reads = new ArrayList<>();
    public DisconnectReason ended;
    private final int receives;
    private final int receiveBytes;
    private QueuePair queuePair;
    private boolean open;

    private RawRequester(int receives, int receiveBytes) {
        this.receives = receives;
        this.receiveBytes = receiveBytes;
    }

    /** Connects with the private data of a Linux client, and with 200 receives of 4096 bytes. */
    public static RawRequester connect(Connector connector, InetSocketAddress server) {
        return connect(connector, server, new PrivateData(true, 4096, 4096).encoded(), 128, 4096);
    }

    public static RawRequester connect(
            Connector connector, InetSocketAddress server, ByteBuffer privateData, int ird, int receiveBytes) {
        return connect(connector, server, privateData, ird, 0, receiveBytes);
    }

    /** Connects with other private data and limits, such as RDMA Reads of its own. */
    public static RawRequester connect(
            Connector connector, InetSocketAddress server, ByteBuffer privateData, int ird, int ord, int receiveBytes) {
        return connect(connector, server, new ConnectOptions(privateData, ird, ord), 200, receiveBytes);
    }

    /** Connects with any number of receives. */
    public static RawRequester connect(
            Connector connector, InetSocketAddress server, ConnectOptions options, int receives, int receiveBytes) {
        RawRequester raw = new RawRequester(receives, receiveBytes);
        connector.connect(server, options, raw);
        return raw;
    }

    /** Sends one message. */
    public void send(ByteBuffer message) {
        queuePair.post(WorkRequest.Send.of(0, message));
        queuePair.flush();
    }

    public MemoryRegion register(ByteBuffer memory, AccessRight right) {
        return queuePair.register(memory, Set.of(right));
    }

    /** Reads the responder's memory into a buffer. {@link #reads} has the result. */
    public ByteBuffer read(RdmaSegment segment) {
        ByteBuffer sink = ByteBuffer.allocate((int) segment.lengthBytes());
        MemoryRegion region = register(sink, AccessRight.LOCAL_WRITE);
        RemoteMemory source = new RemoteMemory(segment.handle(), segment.offset());
        queuePair.post(new WorkRequest.RdmaRead(0, region, 0, (int) segment.lengthBytes(), source));
        queuePair.flush();
        return sink;
    }

    public boolean open() {
        return open;
    }

    @Override
    public void created(QueuePair qp) {
        queuePair = qp;
        for (int i = 0; i < receives; i++) {
            qp.postReceive(i, ByteBuffer.allocate(receiveBytes));
        }
    }

    @Override
    public void established(QueuePair qp) {
        open = true;
    }

    @Override
    public void completed(QueuePair qp, Completion completion) {
        if (completion instanceof Completion.Received message && message.status() == CompletionStatus.SUCCESS) {
            received.add(message.buffer());
            message.invalidatedStag().ifPresent(invalidated::add);
            qp.postReceive(0, ByteBuffer.allocate(receiveBytes));
        }
        if (completion instanceof Completion.ReadDone read) {
            reads.add(read.status());
        }
    }

    @Override
    public void disconnected(QueuePair qp, DisconnectReason reason) {
        open = false;
        ended = reason;
    }
}
