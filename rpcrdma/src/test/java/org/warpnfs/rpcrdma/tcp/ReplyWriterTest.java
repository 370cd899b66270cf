package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.tcp.ServedPeers.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Replies with defects of ours. Each affects only itself, and nothing behind it is lost. */
@Timeout(60)
class ReplyWriterTest {
    /** Accepts calls and keeps them. */
    private final class Keeper implements InboundHandler {
        @Override
        public void call(InboundCall call) {
            if (throwing.get()) {
                throw new IllegalStateException("this handler always fails");
            }
            synchronized (calls) {
                calls.add(call);
            }
        }

        @Override
        public void backwardReply(XdrStream reply) {
            throw new AssertionError("no call was made");
        }

        @Override
        public void closed() {
            // The tests end the calls.
        }
    }

    private static final class Counted implements Payload {
        private final AtomicBoolean released = new AtomicBoolean();
        private final boolean broken;

        Counted(boolean broken) {
            this.broken = broken;
        }

        @Override
        public ByteBuffer buffer() {
            return ByteBuffer.allocate(8);
        }

        @Override
        public void release() {
            released.set(true);
            if (broken) {
                throw new IllegalStateException("a payload that cannot be given back");
            }
        }
    }

    private final TransportStatistics statistics = new TransportStatistics();
    private final AtomicBoolean throwing = new AtomicBoolean();
    private final List<InboundCall> calls = new ArrayList<>();
    private TcpListener listener;
    private TcpPeer peer;

    @BeforeEach
    void connect() throws IOException {
        listener = TcpListener.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TcpOptions.DEFAULT,
                statistics,
                connection -> new Keeper());
        peer = new TcpPeer(1, listener.localAddress());
    }

    @AfterEach
    void everythingIsBack() throws IOException {
        peer.close();
        listener.close();
        for (Counter counter : Counter.values()) {
            if (counter.kind() == Counter.Kind.LEVEL) {
                assertThat(statistics.get(counter)).as("%s", counter).isZero();
            }
        }
    }

    private void makeCalls(int count) throws Exception {
        for (int xid = 0; xid < count; xid++) {
            peer.send(Rpc.call(xid, EchoProgram.NULL));
        }
        await(() -> {
            synchronized (calls) {
                return calls.size() == count;
            }
        });
    }

    private static RpcMessage reply(Payload payload, int offsetBytes) {
        return new RpcMessage(ByteBuffer.allocate(8), List.of(new RpcMessage.Item(offsetBytes, payload)));
    }

    @Test
    void replyThatCannotBeGathered_amongOthers_endsTheConnectionAndAllIsReleased() throws Exception {
        makeCalls(3);
        Counted[] payloads = {new Counted(false), new Counted(false), new Counted(false)};
        calls.get(0).reply(reply(payloads[0], 8));
        calls.get(1).reply(reply(payloads[1], 4711));
        calls.get(2).reply(reply(payloads[2], 8));
        peer.awaitClosed();
        for (Counted payload : payloads) {
            await(payload.released::get);
        }
        assertThat(statistics.get(Counter.DEFECTS)).isEqualTo(1);
        await(() -> statistics.get(Counter.CALLS_RUNNING) == 0);
    }

    @Test
    void payloadThatCannotBeReleased_amongOthers_strandsNoReplyBehindIt() throws Exception {
        makeCalls(3);
        Counted[] payloads = {new Counted(true), new Counted(true), new Counted(false)};
        for (int i = 0; i < 3; i++) {
            calls.get(i).reply(reply(payloads[i], 8));
        }
        for (Counted payload : payloads) {
            await(payload.released::get);
        }
        peer.awaitClosed();
        assertThat(statistics.get(Counter.DEFECTS)).isEqualTo(2);
    }

    @Test
    void listenerIsGone_replies_areEachReleased() throws Exception {
        makeCalls(3);
        listener.close();
        Counted[] payloads = {new Counted(true), new Counted(true), new Counted(false)};
        for (int i = 0; i < 3; i++) {
            calls.get(i).reply(reply(payloads[i], 8));
        }
        for (Counted payload : payloads) {
            await(payload.released::get);
        }
        assertThat(statistics.get(Counter.CALLS_DROPPED)).isEqualTo(3);
    }

    @Test
    void handlerThrows_call_isGivenUpAndTheConnectionEnds() throws Exception {
        throwing.set(true);
        peer.send(Rpc.call(1, EchoProgram.NULL));
        peer.awaitClosed();
        await(() -> statistics.get(Counter.CALLS_DROPPED) == 1);
        assertThat(statistics.get(Counter.DEFECTS)).isEqualTo(1);
    }
}
