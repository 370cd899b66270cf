package org.warpnfs.rpcrdma.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;
import org.warpnfs.testkit.Seeds;

class CallLayoutTest {
    private static ReadSegment entry(long position, long lengthBytes) {
        return new ReadSegment(position, new RdmaSegment(1, lengthBytes, 0));
    }

    private static byte[] bytes(XdrStream stream) {
        byte[] all = new byte[stream.remainingBytes()];
        stream.read(all, 0, all.length);
        return all;
    }

    /** The v4.1 WRITE of the captures: data at 180, and a GETATTR inline after it. */
    @Test
    void oneChunk_assembled_goesOnWithTheTail() throws RpcRdmaViolation {
        ByteBuffer inline = ByteBuffer.allocate(200);
        for (int i = 0; i < 200; i++) {
            inline.put(i, (byte) i);
        }
        CallLayout layout = CallLayout.ofInline(1, List.of(entry(180, 1001)), 200);
        byte[] data = new byte[1001];
        new SplittableRandom(1).nextBytes(data);
        XdrStream stream = layout.assemble(inline, List.of(ByteBuffer.wrap(data)));
        assertThat(stream.lengthBytes()).isEqualTo(200 + 1004);
        stream.skip(180);
        assertThat(stream.agreesWithChunk(1001)).isTrue();
        assertThat(stream.agreesWithChunk(1000)).isFalse();
        assertThat(stream.agreesWithChunk(1002)).isFalse();
        assertThat(stream.counted(1001)).isEqualTo(ByteBuffer.wrap(data));
        assertThat(stream.position()).isEqualTo(180 + 1004);
        assertThat(stream.readInt()).isEqualTo(0xb4b5b6b7);
    }

    @Test
    void positionZeroInRdmaMsg_refused() {
        assertRefused(() -> CallLayout.ofInline(1, List.of(entry(0, 100)), 100));
    }

    @Test
    void noPositionZeroInRdmaNomsg_refused() {
        assertRefused(() -> CallLayout.ofLong(1, List.of()));
        assertRefused(() -> CallLayout.ofLong(1, List.of(entry(4, 100))));
    }

    @Test
    void positionBeyondTheStream_refused() throws RpcRdmaViolation {
        CallLayout.ofInline(1, List.of(entry(100, 8)), 100);
        assertRefused(() -> CallLayout.ofInline(1, List.of(entry(104, 8)), 100));
        assertRefused(() -> CallLayout.ofInline(1, List.of(entry(0xfffffffcL, 8)), 100));
        assertRefused(() -> CallLayout.ofLong(1, List.of(entry(0, 40), entry(44, 8))));
        CallLayout.ofInline(1, List.of(entry(40, 5), entry(108, 8)), 100);
        assertRefused(() -> CallLayout.ofInline(1, List.of(entry(40, 5), entry(112, 8)), 100));
    }

    @Test
    void overlappingChunks_refused() {
        assertRefused(() -> CallLayout.ofInline(1, List.of(entry(40, 9), entry(48, 8)), 100));
    }

    @Test
    void emptyChunkAtTheEnd_assembled_addsNothing() throws RpcRdmaViolation {
        CallLayout layout = CallLayout.ofInline(1, List.of(entry(40, 0)), 40);
        assertThat(layout.assemble(ByteBuffer.allocate(40), List.of(ByteBuffer.allocate(0)))
                        .lengthBytes())
                .isEqualTo(40);
    }

    private interface Layout {
        CallLayout make() throws RpcRdmaViolation;
    }

    private static void assertRefused(Layout layout) {
        assertThatThrownBy(layout::make)
                .isInstanceOfSatisfying(RpcRdmaViolation.class, violation -> assertThat(violation.answer())
                        .isEqualTo(RpcRdmaViolation.Answer.ERR_CHUNK));
    }

    /**
     * A random message of words and counted items, some of which are sent as chunks, in segments of any length. The
     * roundup is missing, in the last segment, or in a segment of its own. The call is inline or long.
     */
    @Test
    void randomMessage_cutAndAssembled_isTheSame() {
        Seeds.each(2_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            ByteBuffer whole = ByteBuffer.allocate(1 << 16);
            ByteBuffer body = ByteBuffer.allocate(1 << 16);
            List<ReadSegment> readList = new ArrayList<>();
            List<ByteBuffer> pulled = new ArrayList<>();
            List<byte[]> items = new ArrayList<>();
            whole.putInt(0x1234);
            body.putInt(0x1234);
            int parts = random.nextInt(0, 6);
            for (int i = 0; i < parts; i++) {
                byte[] item = new byte[random.nextInt(0, 1 << random.nextInt(1, 13))];
                random.nextBytes(item);
                items.add(item);
                whole.putInt(item.length);
                body.putInt(item.length);
                int padBytes = -item.length & 3;
                byte[] padded = new byte[item.length + padBytes];
                System.arraycopy(item, 0, padded, 0, item.length);
                if (item.length > 0 && random.nextBoolean()) {
                    int roundup = random.nextInt(3);
                    int position = whole.position();
                    int sent = roundup == 0 ? item.length : padded.length;
                    int left = roundup == 2 ? item.length : sent;
                    while (left > 0) {
                        int step = random.nextInt(1, left + 1);
                        readList.add(entry(position, step));
                        left -= step;
                    }
                    if (roundup == 2 && padBytes > 0) {
                        readList.add(entry(position, padBytes));
                    }
                    pulled.add(ByteBuffer.wrap(padded, 0, sent).slice());
                } else {
                    body.put(padded);
                }
                whole.put(padded);
                int word = random.nextInt();
                whole.putInt(word);
                body.putInt(word);
            }
            whole.flip();
            body.flip();
            CallLayout layout;
            if (random.nextBoolean()) {
                layout = CallLayout.ofInline(1, readList, body.remaining());
            } else {
                readList.add(random.nextInt(readList.size() + 1), entry(0, body.remaining()));
                layout = CallLayout.ofLong(1, readList);
                pulled.addFirst(body);
                body = ByteBuffer.allocate(0);
            }
            assertThat(layout.chunks()).hasSameSizeAs(pulled);
            XdrStream stream = layout.assemble(body, pulled);
            byte[] expected = new byte[whole.remaining()];
            whole.duplicate().get(expected);
            assertThat(bytes(stream)).isEqualTo(expected);
            stream.rewind();
            stream.readInt();
            for (byte[] item : items) {
                assertThat(stream.readInt()).isEqualTo(item.length);
                assertThat(stream.agreesWithChunk(item.length)).isTrue();
                assertThat(stream.counted(item.length)).isEqualTo(ByteBuffer.wrap(item));
                stream.skip(4);
            }
            assertThat(stream.remainingBytes()).isZero();
        });
    }

    @Test
    void anyReadList_laidOut_isRefusedOrAssembles() {
        Seeds.each(5_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            List<ReadSegment> readList = new ArrayList<>();
            int entries = random.nextInt(0, 5);
            for (int i = 0; i < entries; i++) {
                readList.add(entry(4L * random.nextInt(0, 40), random.nextInt(0, 60)));
            }
            int inlineBytes = random.nextInt(0, 100);
            boolean longCall = random.nextBoolean();
            try {
                CallLayout layout =
                        longCall ? CallLayout.ofLong(1, readList) : CallLayout.ofInline(1, readList, inlineBytes);
                List<ByteBuffer> pulled = new ArrayList<>();
                long total = longCall ? 0 : inlineBytes;
                for (ReadChunk chunk : layout.chunks()) {
                    pulled.add(ByteBuffer.allocate(chunk.lengthBytes()));
                    total += longCall && chunk.position() == 0
                            ? chunk.lengthBytes()
                            : XdrStream.roundUp(chunk.lengthBytes());
                }
                XdrStream stream = layout.assemble(ByteBuffer.allocate(longCall ? 0 : inlineBytes), pulled);
                assertThat(stream.lengthBytes()).isEqualTo(total);
            } catch (RpcRdmaViolation violation) {
                assertThat(violation.answer()).isEqualTo(RpcRdmaViolation.Answer.ERR_CHUNK);
            }
        });
    }
}
