package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.qp.LocalRnic;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairMachine;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.limits.FpduSize;

/**
 * How much one connection writes before other connections of its thread have a turn, on a socket that takes everything
 * at once.
 */
class TurnsOfWritingTest {
    private static final String REQUEST = "4d504120494420526571204672616d65 1002 0004 1000 1000";
    private static final String EMPTY_SEND = "0012 4143 00000000 00000000 00000001 00000000 00000000";
    /** Ten of these share a write. */
    private static final int READS = 1000;

    private static final RemoteMemory REMOTE = new RemoteMemory(7, 0);

    /** A socket whose peer takes everything at once. */
    private static final class TakingSocket extends EmbeddedChannel implements DuplexChannel {
        @Override
        public boolean isInputShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdownInput() {
            return newSucceededFuture();
        }

        @Override
        public ChannelFuture shutdownInput(ChannelPromise promise) {
            return promise.setSuccess();
        }

        @Override
        public boolean isOutputShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdownOutput() {
            return newSucceededFuture();
        }

        @Override
        public ChannelFuture shutdownOutput(ChannelPromise promise) {
            return promise.setSuccess();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdown() {
            return newSucceededFuture();
        }

        @Override
        public ChannelFuture shutdown(ChannelPromise promise) {
            return promise.setSuccess();
        }
    }

    private final TakingSocket socket = new TakingSocket();
    private final QueuePair queuePair = connect();

    private QueuePair connect() {
        LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
        Admission admission = new Admission(IwarpConfig.defaults(), System::nanoTime);
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        QueuePairChannel link =
                new QueuePairChannel(socket, remote, FpduSize.KIB_64, new IwarpStatistics(rnic, admission), null);
        QueuePair[] made = new QueuePair[1];
        link.attach(QueuePairMachine.responder(link, QueuePairConfig.defaults(), rnic, request -> {
            request.accept(
                    new ConnectOptions(ByteBuffer.allocate(0), 0, 1024), new QuietHandler(new CompletableFuture<>()) {
                        @Override
                        public void created(QueuePair queuePair) {
                            made[0] = queuePair;
                            queuePair.postReceive(0, ByteBuffer.allocate(0));
                        }
                    });
        }));
        socket.pipeline().addLast(link);
        socket.writeInbound(Unpooled.wrappedBuffer(Hex.bytes(REQUEST)));
        socket.writeInbound(Unpooled.wrappedBuffer(Hex.bytes(EMPTY_SEND)));
        written();
        return made[0];
    }

    /** Bytes written since the last call. */
    private long written() {
        long bytes = 0;
        for (ByteBuf buffer = socket.readOutbound(); buffer != null; buffer = socket.readOutbound()) {
            bytes += buffer.readableBytes();
            ReferenceCountUtil.release(buffer);
        }
        return bytes;
    }

    @Test
    void flush_manyReadRequests_leaveInTurnsOfSome() {
        MemoryRegion sink = queuePair.register(ByteBuffer.allocate(1), EnumSet.of(AccessRight.LOCAL_WRITE));
        for (int id = 0; id < READS; id++) {
            queuePair.post(new WorkRequest.RdmaRead(id, sink, 0, 1, REMOTE));
        }
        queuePair.flush();
        long writeBytes = 10 * (2 + 18 + 28 + 4);
        int turns = 0;
        for (long bytes = written(); bytes > 0; bytes = written()) {
            assertThat(bytes).isLessThanOrEqualTo(32 * writeBytes);
            // An upper layer may flush at any time. A flush does not start a new turn.
            queuePair.flush();
            assertThat(written()).isZero();
            socket.runScheduledPendingTasks();
            turns++;
        }
        assertThat(turns).isBetween(READS / 320, READS / 320 + 1);
    }

    @Test
    void flush_muchData_leavesInTurnsOfAMebibyte() {
        for (int id = 0; id < 16; id++) {
            queuePair.post(new WorkRequest.RdmaWrite(id, List.of(ByteBuffer.allocateDirect(1 << 20)), REMOTE));
        }
        queuePair.flush();
        long all = 0;
        for (long bytes = written(); bytes > 0; bytes = written()) {
            assertThat(bytes).isLessThan(2 << 20);
            all += bytes;
            socket.runScheduledPendingTasks();
        }
        assertThat(all).isGreaterThan(16 << 20);
    }
}
