package org.warpnfs.iwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.ddp.DdpReceiver;
import org.warpnfs.iwarp.ddp.TaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.mpa.FpduDeframer;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaFrameReader;
import org.warpnfs.iwarp.mpa.UlpduSink;
import org.warpnfs.testkit.Capture;
import org.warpnfs.testkit.CapturedConnection;
import org.warpnfs.testkit.CapturedConnection.Side;
import org.warpnfs.testkit.Seeds;
import org.warpnfs.testkit.StreamCutter;

/**
 * Both directions of captured Linux traffic, through deframer, DDP and RDMAP. Each direction is checked as its receiver
 * would.
 */
class CaptureReplayTest {
    private static final int MESSAGE_BYTES = 70_000;

    /** The receiving side of one direction of a connection. */
    private static final class Direction implements RdmapUlp, UlpduSink {
        final List<String> events = new ArrayList<>();
        final Map<Integer, Integer> segments = new TreeMap<>();
        final RdmapStream stream = new RdmapStream(stag -> new AnyRegion(), this);
        final DdpReceiver ddp = new DdpReceiver(stream);
        final CRC32C placed = new CRC32C();
        private final ByteBuffer receive = ByteBuffer.allocate(MESSAGE_BYTES);
        private final MpaFrameReader startup;
        private @Nullable Direction back;
        private @Nullable FpduDeframer deframer;
        private final ByteBuffer opcodes = ByteBuffer.allocate(2);

        Direction(MpaFrame.Kind kind) {
            startup = new MpaFrameReader(kind);
            stream.open(RdmapExtensions.NONE, 128, 0);
            for (int i = 0; i < 512; i++) {
                stream.receives().post(new UntaggedBuffer(receive));
            }
        }

        void receive(ByteBuffer bytes, boolean crc) throws ProtocolViolation {
            if (deframer == null) {
                if (startup.read(bytes) == null) {
                    return;
                }
                deframer = new FpduDeframer(this, crc);
            }
            while (deframer.advance(bytes)) {
                // Advance step by step.
            }
        }

        @Override
        public void ulpduStarted(int lengthBytes) throws ProtocolViolation {
            opcodes.clear();
            ddp.segmentStarted(lengthBytes);
        }

        @Override
        public void ulpduBytes(ByteBuffer bytes) throws ProtocolViolation {
            for (int i = 0; opcodes.hasRemaining() && i < bytes.remaining(); i++) {
                opcodes.put(bytes.get(bytes.position() + i));
            }
            ddp.segmentBytes(bytes);
        }

        @Override
        public void ulpduEnded() throws ProtocolViolation {
            segments.merge(opcodes.get(1) & 0x0f, 1, Integer::sum);
            ddp.segmentEnded();
        }

        @Override
        public void sendDelivered(
                UntaggedBuffer buffer, int messageBytes, boolean solicited, OptionalLong invalidatedStag) {
            CRC32C sum = new CRC32C();
            sum.update(buffer.message(messageBytes));
            events.add("send " + messageBytes + " " + sum.getValue() + " " + solicited + " " + invalidatedStag
                    + " after " + placed.getValue());
            stream.receives().post(new UntaggedBuffer(receive));
        }

        @Override
        public void readRequested(
                ReadRequestHeader request,
                UntaggedHeader segment,
                @Nullable RdmapRegion source,
                int sourceOffsetBytes) {
            events.add("read " + request);
            if (back != null) {
                back.stream.readIssued(request, back.new Sink(request));
            }
        }

        @Override
        public void immediateDelivered(UntaggedBuffer buffer, long data, boolean solicited) {
            throw new AssertionError("no capture has Immediate Data");
        }

        @Override
        public void receiveFailed(UntaggedBuffer buffer) {
            events.add("receive failed");
        }

        @Override
        public void atomicRequested(
                AtomicRequestHeader request, UntaggedHeader segment, RdmapRegion target, int targetOffsetBytes) {
            throw new AssertionError("no capture has atomic operations");
        }

        @Override
        public void atomicCompleted(long originalValue) {
            throw new AssertionError("no capture has atomic operations");
        }

        @Override
        public void readCompleted() {
            events.add("read completed, placed " + placed.getValue());
            if (back != null) {
                back.stream.requestAnswered();
            }
        }

        @Override
        public void terminated(TerminateHeader header, String rawHex) {
            events.add("terminate " + header.error());
        }

        private void place(ByteBuffer bytes) {
            placed.update(bytes.duplicate());
        }

        /** The target of the peer's Writes, which permits everything. */
        private final class AnyRegion implements RdmapRegion {
            @Override
            public long taggedOffset() {
                return 0;
            }

            @Override
            public int lengthBytes() {
                return Integer.MAX_VALUE;
            }

            @Override
            public long locate(long to, long rangeBytes) {
                return 0;
            }

            @Override
            public void place(int offsetBytes, ByteBuffer bytes) {
                Direction.this.place(bytes);
            }

            @Override
            public boolean allowsRemoteWrite() {
                return true;
            }

            @Override
            public boolean allowsRemoteRead() {
                return true;
            }

            @Override
            public boolean allowsRemoteAtomic() {
                return false;
            }

            @Override
            public boolean alignedForAtomics(int offsetBytes) {
                return false;
            }

            @Override
            public OptionalLong whileValid(LongSupplier operation) {
                return OptionalLong.of(operation.getAsLong());
            }

            @Override
            public long fetchAdd(int offsetBytes, MaskedWord add) {
                throw new AssertionError("not allowed");
            }

            @Override
            public long compareSwap(int offsetBytes, MaskedWord compare, MaskedWord swap) {
                throw new AssertionError("not allowed");
            }

            @Override
            public ByteBuffer source(int offsetBytes, int lengthBytes) {
                return ByteBuffer.allocate(0);
            }

            @Override
            public boolean valid() {
                return true;
            }

            @Override
            public boolean peerMayInvalidate() {
                return true;
            }

            @Override
            public void invalidate() {
                events.add("invalidate");
            }
        }

        /** The sink of a Read, which has exactly the requested range. */
        private final class Sink implements TaggedBuffer {
            private final ReadRequestHeader request;

            Sink(ReadRequestHeader request) {
                this.request = request;
            }

            @Override
            public long taggedOffset() {
                return request.sinkOffset();
            }

            @Override
            public int lengthBytes() {
                return (int) request.sizeBytes();
            }

            @Override
            public void place(int offsetBytes, ByteBuffer bytes) {
                Direction.this.place(bytes);
            }
        }
    }

    private static Map<Side, Direction> replay(CapturedConnection connection, boolean crc, StreamCutter cutter)
            throws ProtocolViolation {
        Map<Side, Direction> directions = new EnumMap<>(Side.class);
        directions.put(Side.INITIATOR, new Direction(MpaFrame.Kind.REQUEST));
        directions.put(Side.RESPONDER, new Direction(MpaFrame.Kind.REPLY));
        directions.get(Side.INITIATOR).back = directions.get(Side.RESPONDER);
        directions.get(Side.RESPONDER).back = directions.get(Side.INITIATOR);
        for (CapturedConnection.Turn turn : connection.turns()) {
            for (ByteBuffer piece : cutter.cut(connection.bytes(turn))) {
                directions.get(turn.from()).receive(piece, crc);
            }
        }
        return directions;
    }

    /** Counts of segments by opcode, both directions together, as Wireshark 4.0 counts them in the same files. */
    @ParameterizedTest
    @CsvSource({
        "knfsd-v3, 777, 1, 735, 99, 9",
        "knfsd-v4.1, 782, 1, 735, 111, 17",
        "sizes-v3, 115, 7, 65, 2745, 13",
        "recall-v4.1, 7, 0, 0, 57, 7",
        "p2p, 6, 1, 27, 36, 5"
    })
    void replay_linux_everySegmentIsValidAndCounted(
            String name, int writes, int readRequests, int readResponses, int sends, int sendsInvalidate)
            throws ProtocolViolation {
        Map<Integer, Integer> counted = new TreeMap<>();
        replay(Capture.load(name).connectionTo(20049), false, StreamCutter.whole())
                .values()
                .forEach(direction ->
                        direction.segments.forEach((opcode, count) -> counted.merge(opcode, count, Integer::sum)));
        Map<Integer, Integer> expected =
                new TreeMap<>(Map.of(0, writes, 1, readRequests, 2, readResponses, 3, sends, 4, sendsInvalidate));
        expected.values().removeIf(count -> count == 0);
        assertThat(counted).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "knfsd-v3",
                "knfsd-v4.2",
                "sizes-v3",
                "sizes-v4.1",
                "recall-v4.1",
                "p2p",
                "crc-both",
                "crc-client"
            })
    void replay_linux_anyCut_isTheSame(String name) throws ProtocolViolation {
        CapturedConnection connection = Capture.load(name).connectionTo(20049);
        boolean crc = name.startsWith("crc");
        Map<Side, Direction> whole = replay(connection, crc, StreamCutter.whole());
        Seeds.each(3, seed -> {
            assertSame(replay(connection, crc, StreamCutter.random(seed)), whole);
            assertSame(replay(connection, crc, StreamCutter.every((int) seed)), whole);
        });
    }

    @Test
    void replay_rpingAndPerftest_everySegmentIsValid() throws ProtocolViolation {
        List<CapturedConnection> connections = Capture.load("verbs-tools").connections();
        assertThat(connections).hasSize(7);
        for (CapturedConnection connection : connections) {
            Map<Side, Direction> whole = replay(connection, false, StreamCutter.whole());
            assertThat(whole.get(Side.INITIATOR).segments).isNotEmpty();
            assertSame(replay(connection, false, StreamCutter.every(1)), whole);
        }
    }

    private static void assertSame(Map<Side, Direction> actual, Map<Side, Direction> expected) {
        for (Side side : Side.values()) {
            assertThat(actual.get(side).events).isEqualTo(expected.get(side).events);
            assertThat(actual.get(side).segments).isEqualTo(expected.get(side).segments);
        }
    }
}
