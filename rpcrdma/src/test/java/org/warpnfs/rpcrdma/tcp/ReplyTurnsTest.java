package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.trace.CallTrace;

/** Replies while something else fails. Every call ends, and every count returns to zero. */
class ReplyTurnsTest {
    private final TransportStatistics statistics = new TransportStatistics();
    private final ClientAccount account = new ClientAccount(
            ClientAddress.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)),
            TcpOptions.DEFAULT,
            new ReplyMemory(TcpOptions.DEFAULT, statistics));
    private boolean outputFails;
    private final EmbeddedChannel channel = new EmbeddedChannel() {
        @Override
        public ChannelFuture write(Object message) {
            if (outputFails) {
                throw new StackOverflowError("as if there were no stack left");
            }
            return super.write(message);
        }
    };
    private final AtomicInteger endedCalls = new AtomicInteger();
    private final AtomicInteger released = new AtomicInteger();
    private boolean turnsFail;
    private boolean endsFail;
    private final ReplyWriter writer = new ReplyWriter(channel, account, statistics, 32, new ReplyWriter.Calls() {
        @Override
        public void recordDone(TcpCall call) {
            call.releaseRecord();
        }

        @Override
        public void ended() {
            endedCalls.incrementAndGet();
            account.ended();
            if (endsFail) {
                throw new IllegalStateException("the next call cannot be started");
            }
        }

        @Override
        public void turnEnded() {
            if (turnsFail) {
                throw new OutOfMemoryError("as if there were no memory for the next record");
            }
        }
    });

    private final HeldCalls held = new HeldCalls(channel, statistics, () -> {}, why -> {});

    private TcpCall call() {
        assertThat(account.tryStart(false)).isTrue();
        statistics.add(Counter.CALLS_RUNNING, 1);
        return new TcpCall(
                writer, held, new ReplyClaim(account, false), Unpooled.buffer().writeLong(0), new CallTrace(1, writer));
    }

    private RpcMessage reply() {
        return new RpcMessage(ByteBuffer.allocate(8), List.of(new RpcMessage.Item(8, new Payload() {
            @Override
            public ByteBuffer buffer() {
                return ByteBuffer.allocateDirect(8);
            }

            @Override
            public void release() {
                released.incrementAndGet();
            }
        })));
    }

    private void assertAllIsBack(int calls) {
        assertAllIsBack(calls, calls);
    }

    private void assertAllIsBack(int calls, int messages) {
        assertThat(endedCalls).hasValue(calls);
        assertThat(released).hasValue(messages);
        assertThat(account.callsInFlight()).isZero();
        assertThat(writer.unsentReplies()).isZero();
        assertThat(writer.unsentBytes()).isZero();
        assertThat(statistics.get(Counter.UNSENT_BYTES)).isZero();
        assertThat(statistics.get(Counter.REPLY_BYTES_HELD)).isZero();
        assertThat(account.untaken().untakenBytes()).isZero();
        assertThat(statistics.get(Counter.CALLS_RUNNING)).isZero();
    }

    @Test
    void noMemoryForAHeader_reply_isReleasedAndItsCallEnds() {
        channel.config().setAllocator((ByteBufAllocator) Proxy.newProxyInstance(
                ByteBufAllocator.class.getClassLoader(), new Class<?>[] {ByteBufAllocator.class}, (_, _, _) -> {
                    throw new OutOfMemoryError("as if there were no direct memory");
                }));
        call().reply(reply());
        channel.runPendingTasks();
        assertAllIsBack(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void turnFails_moreEndingsThanFitInIt_allEnd() {
        turnsFail = true;
        for (int i = 0; i < 100; i++) {
            call().reply(reply());
        }
        channel.runPendingTasks();
        assertAllIsBack(100);
        assertThat(statistics.get(Counter.DEFECTS)).isPositive();
    }

    @Test
    void outputFails_reply_isReleasedAndItsCallEnds() {
        outputFails = true;
        call().reply(reply());
        channel.runPendingTasks();
        assertAllIsBack(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void outputFails_backwardCall_isReleasedAndItsCallerHears() {
        outputFails = true;
        boolean[] told = new boolean[1];
        writer.writeBackward(reply(), () -> told[0] = true);
        assertThat(told[0]).isTrue();
        assertAllIsBack(0, 1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void endFails_otherCallsOfItsTurn_endToo() {
        endsFail = true;
        for (int i = 0; i < 3; i++) {
            call().drop();
        }
        call().reply(reply());
        channel.runPendingTasks();
        assertAllIsBack(4, 1);
        assertThat(channel.isOpen()).isFalse();
    }
}
