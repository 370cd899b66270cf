package org.warpnfs.sockets;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.payload.Pieces;

/**
 * Calls of the socket end between frames, so that segments begin with them. The socket keeps the bytes of each call
 * apart from others.
 */
class FramesOfSegmentsTest {
    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int MSG_DONTWAIT = 0x40;
    private static final MethodHandle SOCKETPAIR =
            SocketCalls.handle("socketpair", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle RECV =
            SocketCalls.handle("recv", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final int MOST_BYTES = 256 << 10;

    private static final int HEADER_BYTES = 16;
    private static final int TRAILER_BYTES = 4;
    private static final int PAYLOAD_BYTES = 1_000;
    private static final int FRAME_BYTES = HEADER_BYTES + PAYLOAD_BYTES + TRAILER_BYTES;

    private final Arena arena = Arena.ofConfined();
    private final PayloadPool memory = new PayloadPool(PiecesRegion.PIECE_BYTES, PiecesRegion.PIECE_BYTES);
    private final FileLoaders loaders = new FileLoaders();
    private int socket;
    private int peer;

    @BeforeEach
    void connect() throws IOException {
        MemorySegment both = arena.allocate(JAVA_INT, 2);
        SocketCalls.checked(
                "socketpair", errno -> (int) SOCKETPAIR.invokeExact(errno, AF_UNIX, SOCK_SEQPACKET, 0, both));
        socket = both.getAtIndex(JAVA_INT, 0);
        peer = both.getAtIndex(JAVA_INT, 1);
    }

    @AfterEach
    void close() throws IOException {
        SocketCalls.close(socket);
        SocketCalls.close(peer);
        arena.close();
    }

    /** What each call has sent since the last look. */
    private List<byte[]> calls() {
        MemorySegment sink = arena.allocate(MOST_BYTES);
        List<byte[]> calls = new ArrayList<>();
        while (true) {
            long got;
            try {
                got = SocketCalls.checked(
                        "recv", errno -> (long) RECV.invokeExact(errno, peer, sink, (long) MOST_BYTES, MSG_DONTWAIT));
            } catch (IOException e) {
                return calls;
            }
            calls.add(sink.asSlice(0, got).toArray(JAVA_BYTE));
        }
    }

    /** Frames of each range, one part a range, all of them one after the other. */
    private static Pieces frames(int ofEach, FileRange... ranges) {
        Pieces pieces = new Pieces();
        pieces.cutIntoSegments();
        ByteBuffer between = ByteBuffer.allocateDirect(HEADER_BYTES);
        for (FileRange range : ranges) {
            for (int frame = 0; frame < ofEach; frame++) {
                long before = pieces.lengthBytes() + between.capacity() - HEADER_BYTES;
                pieces.beginFrame(before + (long) frame * FRAME_BYTES);
            }
            pieces.add(between);
            int gapBytes = TRAILER_BYTES + HEADER_BYTES;
            ByteBuffer gaps = ByteBuffer.allocateDirect((ofEach - 1) * gapBytes);
            pieces.addSeen(range, 0, ofEach * PAYLOAD_BYTES, null, new Pieces.Gaps(gaps, PAYLOAD_BYTES, gapBytes));
            between = ByteBuffer.allocateDirect(TRAILER_BYTES + HEADER_BYTES);
        }
        pieces.add(ByteBuffer.allocateDirect(TRAILER_BYTES));
        return pieces;
    }

    private PiecesRegion region(Pieces pieces) {
        return new PiecesRegion(pieces, socket, ClientAddress.NONE, loaders, memory);
    }

    private static void expectWholeFrames(List<byte[]> calls) {
        assertThat(calls).isNotEmpty().allSatisfy(call -> assertThat(call.length % FRAME_BYTES)
                .isZero());
    }

    private static byte[] joined(List<byte[]> calls) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        calls.forEach(all::writeBytes);
        return all.toByteArray();
    }

    private static void expectFrames(byte[] got, int ofEach, int ranges) {
        assertThat(got).hasSize(ranges * ofEach * FRAME_BYTES);
        for (int at = 0; at < got.length; at++) {
            int inFrame = at % FRAME_BYTES - HEADER_BYTES;
            int inFile = at / FRAME_BYTES % ofEach * PAYLOAD_BYTES + inFrame;
            byte expected = inFrame >= 0 && inFrame < PAYLOAD_BYTES ? CountingRange.at(inFile) : 0;
            if (got[at] != expected) {
                throw new AssertionError("byte " + got[at] + " at " + at + " instead of " + expected);
            }
        }
    }

    @Test
    void bytesOfAFileAreLost_headerBeforeThemWaitsForThem() throws IOException {
        CountingRange lost = new CountingRange();
        lost.cached = false;
        PiecesRegion region = region(frames(7, new CountingRange(), lost));
        region.transferTo(null, 0);
        assertThat(region.lacks()).isEqualTo(PiecesRegion.Lack.BYTES);
        List<byte[]> calls = calls();
        assertThat(region.sentBytes()).isEqualTo(7 * FRAME_BYTES);
        expectWholeFrames(calls);

        region.goOn(region.load(UnpooledByteBufAllocator.DEFAULT));
        region.transferTo(null, region.sentBytes());
        List<byte[]> rest = calls();
        expectWholeFrames(rest);
        calls.addAll(rest);
        expectFrames(joined(calls), 7, 2);
        region.dispose();
        assertThat(memory.lentBytes()).isZero();
    }

    @Test
    void memoryIsTaken_headerOfTheNextFrameWaitsForIt() throws IOException {
        List<Payload> taken = new ArrayList<>();
        // Another connection takes what is free just before.
        CountingRange last = new CountingRange() {
            @Override
            public Object store() {
                for (Payload each = memory.tryAcquire(1); each != null; each = memory.tryAcquire(1)) {
                    taken.add(each);
                }
                return super.store();
            }
        };
        PiecesRegion region = region(frames(64, new CountingRange(), last));
        region.transferTo(null, 0);
        assertThat(region.lacks()).isEqualTo(PiecesRegion.Lack.MEMORY);
        List<byte[]> calls = calls();
        assertThat(region.sentBytes()).isEqualTo(64 * FRAME_BYTES);
        expectWholeFrames(calls);

        int neededBytes = region.neededBytes();
        taken.forEach(Payload::release);
        Payload piece = memory.tryAcquire(ClientAddress.NONE, neededBytes);
        assertThat(piece).isNotNull();
        region.goOn(piece);
        region.transferTo(null, region.sentBytes());
        List<byte[]> rest = calls();
        expectWholeFrames(rest);
        calls.addAll(rest);
        expectFrames(joined(calls), 64, 2);
    }

    /** One call gathers 1024 buffers: a frame takes two, and the last of them would be a header alone. */
    @Test
    void framesThatOneCallCannotGather_areCutBetweenTwo() throws IOException {
        Pieces pieces = new Pieces();
        pieces.cutIntoSegments();
        for (int frame = 0; frame < 1_000; frame++) {
            pieces.beginFrame(pieces.lengthBytes());
            for (int part = 0; part < 3; part++) {
                pieces.add(ByteBuffer.allocateDirect(10));
            }
        }
        PiecesRegion region = region(pieces);
        region.transferTo(null, 0);
        assertThat(region.sentBytes()).isEqualTo(pieces.lengthBytes());
        assertThat(calls()).hasSize(3).allSatisfy(call -> assertThat(call.length % 30)
                .isZero());
    }
}
