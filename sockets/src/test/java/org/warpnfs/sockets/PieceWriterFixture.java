package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.payload.Pieces;

/** A socket for output with file ranges, and its peer. */
abstract class PieceWriterFixture {
    static final int RANGE_BYTES = CountingRange.LENGTH_BYTES;
    static final int PART_BYTES = 65_501;
    static final int WAIT_SECONDS = 60;
    static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);
    static final int LOADERS = FileLoaders.USUAL;

    EventLoopGroup group;
    Channel listener;
    Channel channel;
    Socket peer;

    final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    final List<Socket> peers = new ArrayList<>();
    final CountDownLatch disk = new CountDownLatch(1);
    final PayloadPool memory = new PayloadPool(2 * PiecesRegion.PIECE_BYTES, PiecesRegion.PIECE_BYTES);

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Epoll.isAvailable());
        group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        listener = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        accepted.add(child);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        peer = connect("127.0.0.1");
        channel = accepted();
        assertThat(PieceWriter.takesRanges(channel)).isTrue();
    }

    /** A connection from one of the addresses of the loopback. */
    Socket connect(String from) throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        Socket socket = new Socket(address.getAddress(), address.getPort(), InetAddress.getByName(from), 0);
        peers.add(socket);
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        return socket;
    }

    Channel accepted() throws InterruptedException {
        Channel next = accepted.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    @AfterEach
    void close() throws Exception {
        disk.countDown();
        if (group != null) {
            for (Socket each : peers) {
                each.close();
            }
            group.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).sync();
        }
    }

    /** A header on the heap, a range, a pad, the same range again from its middle, and a direct trailer. */
    static Pieces pieces(FileRange range) {
        Pieces pieces = new Pieces();
        pieces.add(ByteBuffer.wrap(new byte[] {101, 102}));
        pieces.add(range, 0, RANGE_BYTES);
        pieces.add(ByteBuffer.wrap(new byte[] {103}));
        pieces.add(range, RANGE_BYTES / 2, RANGE_BYTES / 2);
        pieces.add(ByteBuffer.allocateDirect(1).put(0, (byte) 104));
        return pieces;
    }

    void write(CountDownLatch done, List<Throwable> failures, Pieces... all) {
        channel.eventLoop().execute(() -> write(new PieceWriter(channel), done, failures, all));
    }

    static void write(PieceWriter writer, CountDownLatch done, List<Throwable> failures, Pieces... all) {
        for (Pieces pieces : all) {
            writer.write(pieces, failure -> {
                if (failure != null) {
                    failures.add(failure);
                }
                done.countDown();
            });
        }
        writer.flush();
    }

    /** Writes a range of a dead disk, for which a client of that address waits from now on. */
    void stand(String from, Object store) throws Exception {
        CountingRange dead = new CountingRange(store);
        dead.cached = false;
        dead.disk = disk;
        Socket _ = connect(from);
        Channel held = accepted();
        held.eventLoop()
                .execute(() -> write(new PieceWriter(held), new CountDownLatch(1), new ArrayList<>(), pieces(dead)));
    }

    void expect(int from, int to, int fileBytes) throws IOException {
        byte[] got = peer.getInputStream().readNBytes(to - from);
        assertThat(got).hasSize(to - from);
        for (int i = 0; i < got.length; i++) {
            byte expected = from + i < fileBytes ? CountingRange.at(from + i) : 0;
            if (got[i] != expected) {
                throw new AssertionError("byte " + got[i] + " at " + (from + i) + " instead of " + expected);
            }
        }
    }

    void expectPieces(int fileBytes) throws IOException {
        assertThat(peer.getInputStream().readNBytes(2)).containsExactly(101, 102);
        expect(0, RANGE_BYTES, fileBytes);
        assertThat(peer.getInputStream().read()).isEqualTo(103);
        expect(RANGE_BYTES / 2, RANGE_BYTES, fileBytes);
        assertThat(peer.getInputStream().read()).isEqualTo(104);
    }
}
