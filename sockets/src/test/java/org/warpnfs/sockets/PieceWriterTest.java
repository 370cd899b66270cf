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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Pieces;

/** Output with file ranges: whole and in order, whatever the socket and the file do. */
@Timeout(120)
class PieceWriterTest {
    private static final int RANGE_BYTES = 3 << 20;
    private static final int WAIT_SECONDS = 60;

    /** A range of a file of bytes that count, from 1 to 100 and again. */
    private static class Counting implements FileRange {
        private volatile int fileBytes = RANGE_BYTES;
        private volatile boolean cached = true;
        private volatile boolean broken;
        private final List<Thread> readers = Collections.synchronizedList(new ArrayList<>());

        static byte at(int offset) {
            return (byte) (1 + offset % 100);
        }

        private static ByteBuffer bytes(int from, int lengthBytes) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(lengthBytes);
            for (int i = 0; i < lengthBytes; i++) {
                bytes.put(at(from + i));
            }
            return bytes.flip();
        }

        @Override
        public boolean isCached(int from, int lengthBytes) {
            return cached;
        }

        @Override
        public int read(int from, ByteBuffer sink) throws IOException {
            readers.add(Thread.currentThread());
            if (broken) {
                throw new IOException("a disk that fails, for a test");
            }
            int got = Math.clamp(fileBytes - from, 0, sink.remaining());
            sink.put(bytes(from, got));
            return got;
        }

        @Override
        public int sendTo(int socket, int from, int lengthBytes) throws IOException {
            int left = Math.min(lengthBytes, fileBytes - from);
            if (left <= 0) {
                return 0;
            }
            GatheringSend send = GatheringSend.ofThread();
            boolean _ = send.add(bytes(from, left), 0);
            return (int) send.send(socket, false);
        }

        @Override
        public int lengthBytes() {
            return RANGE_BYTES;
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    private EventLoopGroup group;
    private Channel listener;
    private Channel channel;
    private Socket peer;

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Epoll.isAvailable());
        group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        listener = new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        accepted.complete(child);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        peer = new Socket(address.getAddress(), address.getPort());
        peer.setSoTimeout((int) TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        channel = accepted.get(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(PieceWriter.takesRanges(channel)).isTrue();
    }

    @AfterEach
    void close() throws Exception {
        if (group != null) {
            peer.close();
            group.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).sync();
        }
    }

    /** A header on the heap, a range, a pad, the same range again from its middle, and a direct trailer. */
    private static Pieces pieces(FileRange range) {
        Pieces pieces = new Pieces();
        pieces.add(ByteBuffer.wrap(new byte[] {101, 102}));
        pieces.add(range, 0, RANGE_BYTES);
        pieces.add(ByteBuffer.wrap(new byte[] {103}));
        pieces.add(range, RANGE_BYTES / 2, RANGE_BYTES / 2);
        pieces.add(ByteBuffer.allocateDirect(1).put(0, (byte) 104));
        return pieces;
    }

    private void write(CountDownLatch done, List<Throwable> failures, Pieces... all) {
        channel.eventLoop().execute(() -> {
            PieceWriter writer = new PieceWriter(channel);
            for (Pieces pieces : all) {
                writer.write(pieces, failure -> {
                    if (failure != null) {
                        failures.add(failure);
                    }
                    done.countDown();
                });
            }
            writer.flush();
        });
    }

    private void expect(int from, int to, int fileBytes) throws IOException {
        byte[] got = peer.getInputStream().readNBytes(to - from);
        assertThat(got).hasSize(to - from);
        for (int i = 0; i < got.length; i++) {
            byte expected = from + i < fileBytes ? Counting.at(from + i) : 0;
            if (got[i] != expected) {
                throw new AssertionError("byte " + got[i] + " at " + (from + i) + " instead of " + expected);
            }
        }
    }

    private void expectPieces(int fileBytes) throws IOException {
        assertThat(peer.getInputStream().readNBytes(2)).containsExactly(101, 102);
        expect(0, RANGE_BYTES, fileBytes);
        assertThat(peer.getInputStream().read()).isEqualTo(103);
        expect(RANGE_BYTES / 2, RANGE_BYTES, fileBytes);
        assertThat(peer.getInputStream().read()).isEqualTo(104);
    }

    @Test
    void pieces_withOthersBehindThem_arriveWholeAndInOrder() throws Exception {
        CountDownLatch done = new CountDownLatch(3);
        List<Throwable> failures = new ArrayList<>();
        Pieces short1 = new Pieces();
        short1.add(ByteBuffer.wrap(new byte[] {105}));
        write(done, failures, pieces(new Counting()), short1, pieces(new Counting()));
        expectPieces(RANGE_BYTES);
        assertThat(peer.getInputStream().read()).isEqualTo(105);
        expectPieces(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void smallParts_amongLargeOnes_arriveWholeAndInOrder() throws Exception {
        Counting range = new Counting();
        range.fileBytes = RANGE_BYTES - 50;
        Pieces pieces = new Pieces();
        pieces.add(range, 0, 1);
        pieces.add(ByteBuffer.wrap(new byte[] {101}));
        pieces.add(range, 1, RANGE_BYTES - 201);
        pieces.add(range, RANGE_BYTES - 200, 0);
        pieces.add(range, RANGE_BYTES - 200, 100);
        pieces.add(ByteBuffer.allocateDirect(1).put(0, (byte) 102));
        pieces.add(range, RANGE_BYTES - 100, 100);
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        write(done, failures, pieces);
        expect(0, 1, range.fileBytes);
        assertThat(peer.getInputStream().read()).isEqualTo(101);
        expect(1, RANGE_BYTES - 100, range.fileBytes);
        assertThat(peer.getInputStream().read()).isEqualTo(102);
        expect(RANGE_BYTES - 100, RANGE_BYTES, range.fileBytes);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(range.readers).allMatch(thread -> channel.eventLoop().inEventLoop(thread));
    }

    @Test
    void file_cutShort_isSentWithZeroesUpToItsLength() throws Exception {
        Counting range = new Counting();
        range.fileBytes = RANGE_BYTES * 3 / 4;
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        write(done, failures, pieces(range));
        expectPieces(range.fileBytes);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void bytes_lostFromThePageCache_areReadOnAnotherThreadAndSent() throws Exception {
        Counting range = new Counting();
        range.cached = false;
        CountDownLatch done = new CountDownLatch(2);
        List<Throwable> failures = new ArrayList<>();
        Pieces behind = new Pieces();
        behind.add(ByteBuffer.wrap(new byte[] {105}));
        write(done, failures, pieces(range), behind);
        expectPieces(RANGE_BYTES);
        assertThat(peer.getInputStream().read()).isEqualTo(105);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(range.readers).isNotEmpty().noneMatch(thread -> channel.eventLoop()
                .inEventLoop(thread));
    }

    @Test
    void disk_fails_endsTheConnectionAndAllThatWasWritten() throws Exception {
        Counting range = new Counting();
        range.cached = false;
        range.broken = true;
        CountDownLatch done = new CountDownLatch(2);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        write(done, failures, pieces(range), pieces(new Counting()));
        assertThat(peer.getInputStream().readAllBytes()).hasSizeLessThanOrEqualTo(2);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(2);
    }

    @Test
    void peer_leavesWithoutReading_endsAllThatWasWritten() throws Exception {
        CountDownLatch done = new CountDownLatch(3);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        write(done, failures, pieces(new Counting()), pieces(new Counting()), pieces(new Counting()));
        assertThat(peer.getInputStream().read()).isEqualTo(101);
        peer.setSoLinger(true, 0);
        peer.close();
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isNotEmpty();
    }
}
