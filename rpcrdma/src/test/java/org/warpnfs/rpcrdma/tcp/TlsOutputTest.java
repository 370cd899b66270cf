package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.warpnfs.payload.Pieces;
import org.warpnfs.testkit.Seeds;

class TlsOutputTest {
    private static final int WINDOW_BYTES = 256 << 10;
    private static final int STEP_BYTES = 64 << 10;

    /** Stands where the TLS handler stands: keeps what it gets until the test lets the peer take it. */
    private static final class Held extends ChannelOutboundHandlerAdapter {
        final Deque<ByteBuf> bytes = new ArrayDeque<>();
        final Deque<ChannelPromise> promises = new ArrayDeque<>();
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            bytes.add((ByteBuf) message);
            promises.add(promise);
        }

        int heldBytes() {
            return bytes.stream().mapToInt(ByteBuf::readableBytes).sum();
        }

        void takeOne() {
            ByteBuf first = bytes.remove();
            byte[] copy = new byte[first.readableBytes()];
            first.readBytes(copy);
            taken.writeBytes(copy);
            first.release();
            promises.remove().setSuccess();
        }

        void failOne(Throwable cause) {
            bytes.remove().release();
            promises.remove().setFailure(cause);
        }
    }

    private final Held held = new Held();
    private final EmbeddedChannel channel = new EmbeddedChannel(held);
    private final TlsOutput output = new TlsOutput(channel);

    private static Pieces pieces(Random random, int lengthBytes, ByteArrayOutputStream all) {
        Pieces pieces = new Pieces();
        for (int left = lengthBytes; left > 0; ) {
            int bytes = Math.min(left, 1 + random.nextInt(200_000));
            byte[] data = new byte[bytes];
            random.nextBytes(data);
            all.writeBytes(data);
            pieces.add(
                    random.nextBoolean()
                            ? ByteBuffer.wrap(data)
                            : ByteBuffer.allocateDirect(bytes).put(data).flip());
            left -= bytes;
        }
        return pieces;
    }

    @Test
    void peer_takesNothing_holdsNoMoreThanTheWindow() {
        Pieces large = new Pieces();
        large.add(ByteBuffer.allocateDirect(4 << 20));
        List<Throwable> ends = new ArrayList<>();
        output.write(large, ends::add);
        output.flush();
        assertThat(held.heldBytes()).isEqualTo(WINDOW_BYTES);
        held.takeOne();
        assertThat(held.heldBytes()).isEqualTo(WINDOW_BYTES);
        assertThat(output.progressBytes()).isEqualTo(STEP_BYTES);
        assertThat(ends).isEmpty();
        while (!held.bytes.isEmpty()) {
            held.takeOne();
        }
        assertThat(ends).containsExactly((Throwable) null);
        assertThat(held.taken.size()).isEqualTo(4 << 20);
    }

    @Test
    void randomWrites_takenAtRandom_arriveWholeAndInOrder() {
        Seeds.each(20, seed -> new TlsOutputTest().randomWrites(new Random(seed)));
    }

    private void randomWrites(Random random) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int[] done = new int[1];
        int writes = 40;
        for (int n = 0; n < writes; n++) {
            int index = n;
            output.write(pieces(random, 1 + random.nextInt(600_000), all), failure -> {
                assertThat(failure).isNull();
                assertThat(done[0]++).isEqualTo(index);
            });
            while (!held.bytes.isEmpty() && random.nextInt(3) > 0) {
                held.takeOne();
            }
            assertThat(held.heldBytes()).isLessThan(WINDOW_BYTES + STEP_BYTES);
        }
        while (!held.bytes.isEmpty()) {
            held.takeOne();
        }
        assertThat(done[0]).isEqualTo(writes);
        assertThat(held.taken.toByteArray()).isEqualTo(all.toByteArray());
        assertThat(output.progressBytes()).isZero();
    }

    @Test
    void failure_endsEachWriteOnce_butNotBeforeItsMemoryIsFree() {
        Random random = new Random(1);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<String> ends = new ArrayList<>();
        output.write(pieces(random, 100_000, all), failure -> ends.add("first " + failure.getMessage()));
        output.write(pieces(random, 900_000, all), failure -> ends.add("second " + failure.getMessage()));
        output.write(pieces(random, 10, all), failure -> ends.add("third " + failure.getMessage()));
        int steps = held.bytes.size();
        held.failOne(new IOException("reset"));
        assertThat(channel.isOpen()).isFalse();
        assertThat(ends)
                .as("of which nothing is being encrypted")
                .contains("third reset")
                .hasSizeLessThan(3);
        for (int n = 1; n < steps; n++) {
            held.failOne(new IOException("closed"));
        }
        assertThat(ends).containsExactlyInAnyOrder("first reset", "second reset", "third reset");
        List<Throwable> late = new ArrayList<>();
        output.write(pieces(random, 10, all), late::add);
        assertThat(late).hasSize(1).doesNotContainNull();
    }
}
