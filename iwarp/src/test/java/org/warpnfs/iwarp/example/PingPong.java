package org.warpnfs.iwarp.example;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.*;

/** A message goes back and forth between two queue pairs. */
final class PingPong implements QueuePairHandler {
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(0), 0, 0);
    private final ByteBuffer[] buffers = {ByteBuffer.allocateDirect(64), ByteBuffer.allocateDirect(64)};
    private final CompletableFuture<DisconnectReason> ended = new CompletableFuture<>();
    private int roundsLeft; // 0 for the side that only answers

    static DisconnectReason run(int rounds) throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            InetSocketAddress anyPort = new InetSocketAddress("localhost", 0);
            Listener listener = transport.listen(anyPort, request -> request.accept(OPTIONS, new PingPong()));
            PingPong ping = new PingPong();
            ping.roundsLeft = rounds;
            transport.connector().connect(listener.localAddress(), OPTIONS, ping);
            return ping.ended.get();
        }
    }

    @Override
    public void created(QueuePair queuePair) {
        queuePair.postReceive(0, buffers[0]); // now, since a message of the peer's that finds no receive is an error
        if (roundsLeft > 0) {
            send(queuePair, 1, buffers[1]); // leaves when the connection is established
        } else {
            queuePair.postReceive(1, buffers[1]); // the next message may come while the answer to the first is sent
        }
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        int id = (int) completion.workRequestId();
        boolean success = completion.status() == CompletionStatus.SUCCESS; // else the connection is ending
        if (success && completion instanceof Completion.Received message && --roundsLeft != 0) {
            send(queuePair, id, message.buffer());
        } else if (success && completion instanceof Completion.Received) {
            queuePair.disconnect();
        } else if (success) {
            queuePair.postReceive(id, buffers[id].clear()); // it was sent: the buffer is ours again
        }
    }

    private static void send(QueuePair queuePair, int id, ByteBuffer message) {
        queuePair.post(WorkRequest.Send.of(id, message));
        queuePair.flush();
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        ended.complete(reason);
    }
}
