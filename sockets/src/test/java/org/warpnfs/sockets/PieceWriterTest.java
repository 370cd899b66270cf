package org.warpnfs.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Pieces;

/** Output with file ranges: whole and in order, whatever the socket and the file do. */
@Timeout(240)
class PieceWriterTest extends PieceWriterFixture {
    @Test
    void pieces_withOthersBehindThem_arriveWholeAndInOrder() throws Exception {
        CountDownLatch done = new CountDownLatch(3);
        List<Throwable> failures = new ArrayList<>();
        Pieces short1 = new Pieces();
        short1.add(ByteBuffer.wrap(new byte[] {105}));
        write(done, failures, pieces(new CountingRange()), short1, pieces(new CountingRange()));
        expectPieces(RANGE_BYTES);
        assertThat(peer.getInputStream().read()).isEqualTo(105);
        expectPieces(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void smallParts_amongLargeOnes_arriveWholeAndInOrder() throws Exception {
        CountingRange range = new CountingRange();
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
        CountingRange range = new CountingRange();
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
        CountingRange range = new CountingRange();
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
    void bytes_lostAgainAfterTheyWereRead_neverMakeTheEventLoopWait() throws Exception {
        CountingRange range = new CountingRange();
        range.cached = false;
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        write(done, failures, pieces(range));
        expectPieces(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(range.waits).hasValue(0);
    }

    @Test
    void file_cutShortAndNotCached_isSentWithZeroesUpToItsLength() throws Exception {
        CountingRange range = new CountingRange();
        range.cached = false;
        range.fileBytes = RANGE_BYTES * 3 / 4 + 5;
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        write(done, failures, pieces(range));
        expectPieces(range.fileBytes);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void deadDisk_ofManyConnectionsOfOneClient_holdsNeitherAnotherClientNorAnotherDisk() throws Exception {
        Object deadStore = new Object();
        for (int i = 0; i < 2 * LOADERS; i++) {
            stand("127.0.0.1", deadStore);
        }
        for (String from : List.of("127.0.0.1", "127.0.0.2")) {
            peer = connect(from);
            channel = accepted();
            CountingRange range = new CountingRange();
            range.cached = false;
            CountDownLatch done = new CountDownLatch(1);
            write(done, new ArrayList<>(), pieces(range));
            expectPieces(RANGE_BYTES);
            assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void deadDisk_isNotAskedByTheEventLoopAnyMore() throws Exception {
        Object store = new Object();
        stand("127.0.0.2", store);
        // Bytes that are cached are sent by the event loop until the disk has stood still for a while.
        for (int sends = -1; sends != 0; ) {
            CountingRange cached = new CountingRange(store);
            CountDownLatch done = new CountDownLatch(1);
            write(done, new ArrayList<>(), pieces(cached));
            expectPieces(RANGE_BYTES);
            assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            sends = cached.sends.get();
        }
    }

    @Test
    void connection_endsWhileADeadDiskIsRead_isDoneAtOnce() throws Exception {
        CountingRange dead = new CountingRange();
        dead.cached = false;
        dead.disk = disk;
        CountDownLatch done = new CountDownLatch(2);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        write(done, failures, pieces(dead), pieces(new CountingRange()));
        assertThat(peer.getInputStream().readNBytes(2)).containsExactly(101, 102);
        var _ = channel.close();
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(2);
    }

    @Test
    void disk_doesNotAnswer_endsTheConnection() throws Exception {
        CountingRange dead = new CountingRange();
        dead.cached = false;
        dead.disk = disk;
        CountDownLatch done = new CountDownLatch(2);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        channel.eventLoop()
                .execute(() -> write(
                        new PieceWriter(channel, new FileLoaders(), memory, new PieceWriter.Limits(1, LONG_NANOS)),
                        done,
                        failures,
                        pieces(dead),
                        pieces(dead)));
        assertThat(peer.getInputStream().readAllBytes()).hasSizeLessThanOrEqualTo(2);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(2);
    }

    @Test
    void deadDisk_endsAlsoConnectionsThatWaitForATurn() throws Exception {
        FileLoaders loaders = new FileLoaders();
        CountDownLatch done = new CountDownLatch(2 * LOADERS);
        Object store = new Object();
        for (int i = 0; i < 2 * LOADERS; i++) {
            CountingRange dead = new CountingRange(store);
            dead.cached = false;
            dead.disk = disk;
            Socket _ = connect("127.0.0.1");
            PieceWriter writer = new PieceWriter(accepted(), loaders, memory, new PieceWriter.Limits(1, LONG_NANOS));
            channel.eventLoop().execute(() -> write(writer, done, new ArrayList<>(), pieces(dead)));
        }
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Reads of other stores by other clients, which leave no thread, until the disk is open. */
    private FileLoaders busyLoaders() throws InterruptedException {
        FileLoaders loaders = new FileLoaders();
        CountDownLatch running = new CountDownLatch(FileLoaders.MOST);
        for (int i = 0; i < FileLoaders.MOST; i++) {
            loaders.execute(new FileLoaders.Share(ClientAddress.NONE, new Object()), new FileLoaders.Load() {
                @Override
                public void run() {
                    running.countDown();
                    try {
                        disk.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }

                @Override
                public void refused(Throwable cause) {
                    throw new AssertionError(cause);
                }
            });
        }
        assertThat(running.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        return loaders;
    }

    @Test
    void busyDisk_turnComesAfterMoreThanTheLimitOfARead_bytesAreSent() throws Exception {
        FileLoaders loaders = busyLoaders();
        CountingRange range = new CountingRange() {
            @Override
            public int read(int from, ByteBuffer sink) throws IOException {
                // One read alone has to keep the limit.
                cached = true;
                return super.read(from, sink);
            }
        };
        range.cached = false;
        long limitNanos = TimeUnit.SECONDS.toNanos(1);
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch limitIsOver = new CountDownLatch(1);
        channel.eventLoop().execute(() -> {
            PieceWriter.Limits limits = new PieceWriter.Limits(limitNanos, LONG_NANOS);
            write(new PieceWriter(channel, loaders, memory, limits), done, failures, pieces(range));
            var _ = channel.eventLoop().schedule(limitIsOver::countDown, 2 * limitNanos, TimeUnit.NANOSECONDS);
        });
        assertThat(limitIsOver.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        disk.countDown();
        expectPieces(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void turn_doesNotCome_endsTheConnection() throws Exception {
        FileLoaders loaders = busyLoaders();
        CountingRange range = new CountingRange();
        range.cached = false;
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        PieceWriter.Limits limits = new PieceWriter.Limits(LONG_NANOS, 1);
        channel.eventLoop()
                .execute(() -> write(new PieceWriter(channel, loaders, memory, limits), done, failures, pieces(range)));
        assertThat(peer.getInputStream().readAllBytes()).hasSizeLessThanOrEqualTo(2);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(1);
    }

    @Test
    void smallPart_foundLacking_isNotReadByTheEventLoop() throws Exception {
        AtomicInteger waits = new AtomicInteger();
        CountingRange range = new CountingRange() {
            @Override
            public int read(int from, ByteBuffer sink) throws IOException {
                if (channel.eventLoop().inEventLoop()) {
                    if (!cached) {
                        waits.incrementAndGet();
                    }
                    // The next part needs a question of its own, since the answer for this one is old by then.
                    cached = false;
                    long start = System.nanoTime();
                    while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(2)) {
                        Thread.onSpinWait();
                    }
                }
                return super.read(from, sink);
            }
        };
        Pieces pieces = new Pieces();
        pieces.add(range, 0, 100);
        pieces.add(ByteBuffer.allocateDirect(1).put(0, (byte) 101));
        pieces.add(range, 200, 100);
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        write(done, failures, pieces);
        expect(0, 100, RANGE_BYTES);
        assertThat(peer.getInputStream().read()).isEqualTo(101);
        expect(200, 300, RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
        assertThat(waits).hasValue(0);
    }

    @Test
    void range_hasADefect_endsTheConnection() throws Exception {
        CountingRange defective = new CountingRange() {
            @Override
            public int sendTo(int socket, int from, int lengthBytes) {
                throw new IllegalStateException("a defect, for a test");
            }
        };
        CountDownLatch done = new CountDownLatch(1);
        write(done, new ArrayList<>(), pieces(defective));
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(channel.closeFuture().await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void disk_fails_endsTheConnectionAndAllThatWasWritten() throws Exception {
        CountingRange range = new CountingRange();
        range.cached = false;
        range.broken = true;
        CountDownLatch done = new CountDownLatch(2);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        write(done, failures, pieces(range), pieces(new CountingRange()));
        assertThat(peer.getInputStream().readAllBytes()).hasSizeLessThanOrEqualTo(2);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(2);
    }

    @Test
    void peer_leavesWithoutReading_endsAllThatWasWritten() throws Exception {
        CountDownLatch done = new CountDownLatch(3);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        write(done, failures, pieces(new CountingRange()), pieces(new CountingRange()), pieces(new CountingRange()));
        assertThat(peer.getInputStream().read()).isEqualTo(101);
        peer.setSoLinger(true, 0);
        peer.close();
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isNotEmpty();
    }

    /** A write that cannot begin, and whose owner has a defect, keeps those behind it neither unsent nor untold. */
    @Test
    void heldWrite_cannotBegin_thoseBehindItAreDone() throws Exception {
        channel.config().setAllocator(new NoMemory());
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(4);
        channel.eventLoop().execute(() -> {
            PieceWriter writer = new PieceWriter(channel);
            Pieces first = new Pieces();
            first.add(new CountingRange(), 0, RANGE_BYTES);
            writer.write(first, _ -> {
                told.add("range");
                done.countDown();
            });
            Pieces onHeap = new Pieces();
            onHeap.add(ByteBuffer.allocate(1));
            for (String name : List.of("one", "two")) {
                writer.write(onHeap, failure -> {
                    told.add(name + ": " + failure.getClass().getSimpleName());
                    done.countDown();
                    throw new IllegalStateException("a defect of the owner");
                });
            }
            writer.write(first, _ -> {
                told.add("another range");
                done.countDown();
            });
            writer.flush();
        });
        assertThat(peer.getInputStream().readNBytes(RANGE_BYTES)).hasSize(RANGE_BYTES);
        assertThat(done.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(told)
                .containsExactlyInAnyOrder("range", "one: OutOfMemoryError", "two: OutOfMemoryError", "another range");
    }

    private static final class NoMemory extends AbstractByteBufAllocator {
        NoMemory() {
            super(true);
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("no memory for a copy");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("no memory for a copy");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
