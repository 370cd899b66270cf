package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TcpSocketsTest {
    private static final int BUFFER_BYTES = 16 << 10;
    private static final int AT_ONCE = 32;
    private static final int KEPT = 1000;

    /** A vanished host is noticed within two minutes, idle or not. The system's own limits are hours. */
    @Test
    void socket_tuned_endsConnectionsOfVanishedHosts() {
        assumeTrue(Epoll.isAvailable());
        EpollSocketChannel channel = new EpollSocketChannel();
        try {
            TcpSockets.tune(channel);
            assertThat(channel.config().isKeepAlive()).isTrue();
            assertThat(channel.config().getTcpKeepIdle()).isEqualTo(60);
            assertThat(channel.config().getTcpKeepIntvl()).isEqualTo(10);
            assertThat(channel.config().getTcpKeepCnt()).isEqualTo(6);
            assertThat(channel.config().getTcpUserTimeout()).isEqualTo(120_000);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    /**
     * A peer decides how long each record is held. If it ends most records and keeps a few, those must not keep the
     * memory of the others. Otherwise {@link RecordMemory} would count only a small part of what is held.
     */
    @Test
    void records_oneOfManyIsHeld_memoryOfTheOthersIsUsedAgain() throws Exception {
        Channel channel = new NioSocketChannel();
        EventLoopGroup loops = TcpSockets.loops("records", 1);
        try {
            TcpSockets.tune(channel);
            long heldBytes = loops.submit(() -> heldFor(channel.alloc())).get();
            assertThat(heldBytes).isLessThan(3L * KEPT * BUFFER_BYTES);
        } finally {
            channel.unsafe().closeForcibly();
            TcpSockets.shutDown(loops);
        }
    }

    /** How much more memory an allocator holds while a few of many buffers are still lent. */
    private static long heldFor(ByteBufAllocator allocator) {
        var metric = ((ByteBufAllocatorMetricProvider) allocator).metric();
        long before = metric.usedDirectMemory();
        List<ByteBuf> kept = new ArrayList<>();
        List<ByteBuf> ended = new ArrayList<>();
        for (int round = 0; round < KEPT; round++) {
            kept.add(allocator.directBuffer(BUFFER_BYTES));
            for (int i = 1; i < AT_ONCE; i++) {
                ended.add(allocator.directBuffer(BUFFER_BYTES));
            }
            ended.forEach(ByteBuf::release);
            ended.clear();
        }
        long held = metric.usedDirectMemory() - before;
        kept.forEach(ByteBuf::release);
        return held;
    }
}
