package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.Pieces;

/** Output with parts of files whose bytes have to be seen: each has the sum of what was sent, and memory is bounded. */
@Timeout(240)
class SeenPartsTest extends PieceWriterFixture {
    private static final int PART_BYTES = 65_501;

    /** The whole range as parts of odd length, each behind a header of one byte and before the sum of its bytes. */
    private static Pieces seen(FileRange range) {
        return seen(range, RANGE_BYTES);
    }

    private static Pieces seen(FileRange range, int lengthBytes) {
        Pieces pieces = new Pieces();
        int partBytes = PART_BYTES;
        for (int from = 0; from < lengthBytes; from += partBytes) {
            partBytes = Math.min(partBytes, lengthBytes - from);
            pieces.add(ByteBuffer.allocateDirect(1).put(0, (byte) 101));
            ByteBuffer sum = ByteBuffer.allocateDirect(Integer.BYTES);
            pieces.addSeen(range, from, partBytes, part -> sum.putInt(0, sum(part)));
            pieces.add(sum);
        }
        return pieces;
    }

    private static int sum(ByteBuffer bytes) {
        int sum = 0;
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            sum = 31 * sum + bytes.get(i);
        }
        return sum;
    }

    private void expectSeen(int fileBytes) throws IOException {
        expectSeen(fileBytes, 0);
    }

    /** @param done how many parts have been checked */
    private void expectSeen(int fileBytes, int done) throws IOException {
        DataInputStream in = new DataInputStream(peer.getInputStream());
        for (int from = done * PART_BYTES; from < RANGE_BYTES; from += PART_BYTES) {
            expectSeenPart(in, from, fileBytes);
        }
    }

    private static void expectSeenPart(DataInputStream in, int from, int fileBytes) throws IOException {
        assertThat(in.read()).isEqualTo(101);
        byte[] got = in.readNBytes(Math.min(PART_BYTES, RANGE_BYTES - from));
        for (int i = 0; i < got.length; i++) {
            byte expected = from + i < fileBytes ? CountingRange.at(from + i) : 0;
            if (got[i] != expected) {
                throw new AssertionError("byte " + got[i] + " at " + (from + i) + " instead of " + expected);
            }
        }
        assertThat(in.readInt()).isEqualTo(sum(ByteBuffer.wrap(got)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void partsThatAreSeen_cachedOrNot_arriveWithTheSumsOfTheirBytesAndGiveTheirMemoryBack(boolean cached)
            throws Exception {
        CountingRange range = new CountingRange();
        range.cached = cached;
        range.fileBytes = RANGE_BYTES * 3 / 4 + 5;
        CountDownLatch done = new CountDownLatch(3);
        List<Throwable> failures = new ArrayList<>();
        FileLoaders loaders = new FileLoaders();
        channel.eventLoop()
                .execute(
                        () -> write(writer(channel, loaders), done, failures, seen(range), pieces(range), seen(range)));
        expectSeen(range.fileBytes);
        expectPieces(range.fileBytes);
        expectSeen(range.fileBytes);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(memory.lentBytes()).isZero();
        assertThat(range.waits).hasValue(0);
    }

    private PieceWriter writer(Channel to, FileLoaders loaders) {
        return new PieceWriter(to, loaders, memory, new PieceWriter.Limits(LONG_NANOS, LONG_NANOS));
    }

    /** Bytes that come from the page cache until one part of the file, and after it again. */
    @Test
    void partsThatAreSeen_oneIsLost_isReadOnAnotherThread() throws Exception {
        int lost = 7 * PART_BYTES + 1;
        CountingRange range = new CountingRange() {
            @Override
            public boolean isCached(int from, int lengthBytes) {
                return lost < from || lost >= from + lengthBytes;
            }
        };
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        channel.eventLoop().execute(() -> write(writer(channel, new FileLoaders()), done, failures, seen(range)));
        expectSeen(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(range.readers.stream().filter(thread -> !channel.eventLoop().inEventLoop(thread)))
                .hasSize(1);
    }

    /** A defect of ours ends the connection at once, with the bytes that have been read. */
    @Test
    void partsThatAreSeen_sumOfLostBytesCannotBeMade_endsTheConnectionAndItsMemoryIsBack() throws Exception {
        CountingRange range = new CountingRange();
        range.cached = false;
        Pieces pieces = new Pieces();
        pieces.addSeen(range, 0, PART_BYTES, _ -> {
            throw new IllegalStateException("a sum that cannot be made");
        });
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        channel.config().setAllocator(allocator);
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        channel.eventLoop().execute(() -> write(writer(channel, new FileLoaders()), done, failures, pieces));
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasExactlyElementsOfTypes(IllegalStateException.class);
        assertThat(peer.getInputStream().read()).isEqualTo(-1);
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    /** What has been read is sent, whatever the file has become. */
    @Test
    void partsThatAreSeen_fileChangesWhileTheReaderIsSlow_haveTheSumsOfWhatIsSent() throws Exception {
        CountingRange range = new CountingRange();
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        channel.config().setOption(ChannelOption.SO_SNDBUF, 32 << 10);
        channel.eventLoop().execute(() -> write(writer(channel, new FileLoaders()), done, failures, seen(range)));
        DataInputStream in = new DataInputStream(peer.getInputStream());
        expectSeenPart(in, 0, RANGE_BYTES);
        await(() -> memory.lentBytes() > 0);
        assertThat(memory.lentBytes()).isEqualTo(PiecesRegion.PIECE_BYTES);
        range.fileBytes = 0;
        for (int from = PART_BYTES; from < RANGE_BYTES; from += PART_BYTES) {
            assertThat(in.read()).isEqualTo(101);
            byte[] got = in.readNBytes(Math.min(PART_BYTES, RANGE_BYTES - from));
            assertThat(in.readInt()).isEqualTo(sum(ByteBuffer.wrap(got)));
            assertThat(got[0]).isIn((byte) 0, CountingRange.at(from));
        }
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(memory.lentBytes()).isZero();
    }

    /** Frames of segments without sums: whoever reads slowly holds no memory that others wait for. */
    @Test
    void partsOnWhichNothingDepends_readerIsSlow_arriveWholeAndHoldNoMemoryMeanwhile() throws Exception {
        Pieces pieces = new Pieces();
        for (int from = 0; from < RANGE_BYTES; from += PART_BYTES) {
            pieces.add(ByteBuffer.allocateDirect(1).put(0, (byte) 101));
            int partBytes = Math.min(PART_BYTES, RANGE_BYTES - from);
            ByteBuffer gaps = ByteBuffer.allocateDirect((partBytes - 1) / 1000);
            pieces.addSeen(new CountingRange(), from, partBytes, null, new Pieces.Gaps(gaps, 1000, 1));
        }
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        channel.config().setOption(ChannelOption.SO_SNDBUF, 32 << 10);
        channel.eventLoop().execute(() -> write(writer(channel, new FileLoaders()), done, failures, pieces));
        DataInputStream in = new DataInputStream(new BufferedInputStream(peer.getInputStream(), 4096));
        assertThat(in.read()).isEqualTo(101);
        channel.eventLoop().submit(() -> {}).sync();
        assertThat(done.getCount()).as("the socket is full").isEqualTo(1);
        assertThat(memory.lentBytes()).isZero();

        for (int at = 0; at < RANGE_BYTES; at++) {
            int inPart = at % PART_BYTES;
            if (at > 0 && inPart == 0) {
                assertThat(in.read()).isEqualTo(101);
            } else if (inPart > 0 && inPart % 1000 == 0) {
                assertThat(in.read()).as("a gap").isZero();
            }
            byte expected = CountingRange.at(at);
            byte got = (byte) in.read();
            if (got != expected) {
                throw new AssertionError("byte " + got + " at " + at + " instead of " + expected);
            }
        }
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(memory.lentBytes()).isZero();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(1);
        }
    }

    /** A client whose peers take nothing holds its share; its next connection waits until one of them ends. */
    @Test
    void memoryForPieces_isHeldBySlowReaders_nextOneOfTheirClientWaitsAndAnotherClientDoesNot() throws Exception {
        FileLoaders loaders = new FileLoaders();
        CountDownLatch over = new CountDownLatch(1);
        Socket slow = peer;
        Channel slowChannel = channel;
        slowChannel
                .eventLoop()
                .execute(() -> write(
                        writer(slowChannel, loaders),
                        over,
                        new ArrayList<>(),
                        seen(new CountingRange()),
                        seen(new CountingRange())));
        await(() -> memory.lentBytes() == PiecesRegion.PIECE_BYTES);

        peer = connect("127.0.0.1");
        Channel waiting = accepted();
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        waiting.eventLoop().execute(() -> write(writer(waiting, loaders), done, failures, seen(new CountingRange())));
        await(() -> memory.waitingRequests() == 1);
        Socket waitingPeer = peer;

        peer = connect("127.0.0.2");
        Channel other = accepted();
        CountDownLatch otherDone = new CountDownLatch(1);
        other.eventLoop().execute(() -> write(writer(other, loaders), otherDone, failures, seen(new CountingRange())));
        expectSeen(RANGE_BYTES);
        assertThat(otherDone.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();

        slow.close();
        peer = waitingPeer;
        expectSeen(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(memory.lentBytes()).isZero();
    }

    /** Else a few slow readers of little would hold the memory of all. */
    @Test
    void memoryForPieces_ofAShortRead_isNoMoreThanItsLength() {
        assertThat(FilledParts.wantedBytes(seen(new CountingRange(), 4096), 0, PiecesRegion.PIECE_BYTES))
                .isEqualTo(4096);
        assertThat(FilledParts.wantedBytes(seen(new CountingRange()), 0, PiecesRegion.PIECE_BYTES))
                .isBetween(PiecesRegion.PIECE_BYTES - PART_BYTES, PiecesRegion.PIECE_BYTES);
    }

    @Test
    void memoryForPieces_doesNotComeBack_endsTheConnectionAndItsWait() throws Exception {
        Payload all = memory.tryAcquire(
                ClientAddress.of((InetSocketAddress) channel.remoteAddress()), PiecesRegion.PIECE_BYTES);
        assertThat(all).isNotNull();
        CountDownLatch done = new CountDownLatch(2);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        PieceWriter.Limits limits = new PieceWriter.Limits(LONG_NANOS, 1);
        channel.eventLoop()
                .execute(() -> write(
                        new PieceWriter(channel, new FileLoaders(), memory, limits),
                        done,
                        failures,
                        seen(new CountingRange()),
                        seen(new CountingRange())));
        assertThat(peer.getInputStream().readAllBytes()).hasSizeLessThanOrEqualTo(2);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(2);
        await(() -> memory.waitingRequests() == 0);
        all.release();
        assertThat(memory.lentBytes()).isZero();
    }
}
