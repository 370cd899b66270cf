package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.header;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.last;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.message;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaErrorChunk;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;
import org.warpnfs.rpcrdma.wire.WriteChunk;

/** RDMA_MSGP, as a requester of RFC 5666 may send it (section 3.9). */
class PaddedCallTest {
    private final SimulatedResponder responder = new SimulatedResponder(ResponderOptions.DEFAULT);

    @AfterEach
    void close() {
        responder.close();
    }

    /** A WRITE whose data is aligned within the Send, if it is as long as the threshold. */
    private static ByteBuffer paddedWrite(RdmaMsgp msgp, byte[] data) {
        ByteBuffer send = ByteBuffer.allocate(256 << 10).put(msgp.encoded());
        send.put(Rpc.header((int) msgp.xid(), EchoProgram.WRITE, 8)
                .putInt(7)
                .putInt(data.length)
                .flip());
        if (data.length >= msgp.thresholdBytes()) {
            while (send.position() % msgp.alignmentBytes() != 0) {
                // Not zero, because the content of padding is not checked.
                send.put((byte) 0xee);
            }
        }
        send.put(data);
        send.position(send.position() + (-data.length & 3));
        return send.putInt(9).flip();
    }

    @ParameterizedTest
    @CsvSource({
        "1024, 1, 1024",
        "1023, 1024, 1024",
        "1024, 1024, 1024",
        "1025, 1024, 1024",
        "0, 0, 64",
        "5, 0, 4",
        "3, 3, 2048"
    })
    void padded_arrives_dataAndTailAreFound(int count, long threshold, long alignment) throws Exception {
        RawRequester raw = responder.connect(0);
        byte[] data = EchoProgram.pattern(count, 1);
        // With a threshold of 0, even the empty verifier and credential are padded. Another test covers that.
        RdmaMsgp msgp = new RdmaMsgp(5, 32, alignment, Math.max(1, threshold), ChunkLists.NONE);
        raw.send(paddedWrite(msgp, data));
        responder.settle();
        ByteBuffer reply = last(raw);
        assertThat(header(reply)).as("never RDMA_MSGP in return").isInstanceOf(RdmaMsg.class);
        ByteBuffer results = Rpc.success(5, reply.slice());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
        assertThat(responder.count(Counter.PADDED_CALLS)).isEqualTo(1);
    }

    /** Larger than any Send of ours, except with options for larger ones. */
    @ParameterizedTest
    @CsvSource({"8192, 1000", "8192, 100000", "16384, 5", "32768, 40000", "65536, 4096", "65536, 60001"})
    void alignmentBeyondAPage_arrives_dataAndTailAreFound(int alignment, int count) throws Exception {
        SimulatedResponder large = new SimulatedResponder(ResponderOptions.builder()
                .inlineBytes(4096, 256 << 10)
                .credits(2, 2)
                .build());
        RawRequester raw = large.connect(0);
        byte[] data = EchoProgram.pattern(count, 1);
        RdmaMsgp msgp = new RdmaMsgp(5, 2, alignment, 1, ChunkLists.NONE);
        raw.send(paddedWrite(msgp, data));
        large.settle();
        ByteBuffer reply = last(raw);
        header(reply);
        ByteBuffer results = Rpc.success(5, reply.slice());
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
        large.close();
    }

    /** No Send of 4096 bytes has room for such padding. Only data below the threshold or in a chunk can be sent. */
    @ParameterizedTest
    @ValueSource(longs = {8192, 16_384, 32_768, 65_536})
    void alignmentBeyondTheReceiveBuffer_arrives_onlyWhatIsPaddedIsGarbage(long alignment) throws Exception {
        RawRequester raw = responder.connect(0);
        byte[] data = EchoProgram.pattern(1000, 1);
        raw.send(paddedWrite(new RdmaMsgp(5, 32, alignment, 1001, ChunkLists.NONE), data));
        responder.settle();
        ByteBuffer unpadded = last(raw);
        header(unpadded);
        Rpc.success(5, unpadded.slice());
        raw.send(message(
                new RdmaMsgp(6, 32, alignment, 1000, ChunkLists.NONE),
                Rpc.write(6, data).flatten()));
        responder.settle();
        ByteBuffer padded = last(raw);
        header(padded);
        Rpc.accepted(6, 4, padded.slice());
        assertThat(responder.program.writes).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3, 65_535, 65_537, 131_072, 1L << 31, 0xffff_ffffL})
    void alignmentThatIsNone_arrives_errChunk(long alignment) throws Exception {
        RawRequester raw = responder.connect(0);
        raw.send(message(
                new RdmaMsgp(6, 32, alignment, 100_000, ChunkLists.NONE),
                Rpc.call(6, EchoProgram.NULL).xdr()));
        responder.settle();
        assertThat(header(last(raw))).isInstanceOf(RdmaErrorChunk.class);
        responder.assertStillServes(raw);
    }

    @Test
    void threshold0_arrives_credentialAndVerifierArePaddedToo() throws Exception {
        RawRequester raw = responder.connect(0);
        RdmaMsgp msgp = new RdmaMsgp(5, 32, 64, 0, ChunkLists.NONE);
        ByteBuffer send = ByteBuffer.allocate(4096).put(msgp.encoded());
        send.put(Rpc.header(5, EchoProgram.NULL, 0).flip().limit(32));
        send.position(128).putLong(0).position(192);
        raw.send(send.flip());
        responder.settle();
        ByteBuffer reply = last(raw);
        header(reply);
        Rpc.success(5, reply.slice());
    }

    @Test
    void countDecodedByHand_arrives_paddingIsSkipped() throws Exception {
        RawRequester raw = responder.connect(0);
        RdmaMsgp msgp = new RdmaMsgp(6, 32, 512, 100, ChunkLists.NONE);
        byte[] data = EchoProgram.pattern(300, 2);
        ByteBuffer send = ByteBuffer.allocate(4096).put(msgp.encoded());
        send.put(Rpc.header(6, EchoProgram.BOUNDED_COPY, 4).putInt(data.length).flip());
        send.position(512).put(data);
        raw.send(send.flip());
        responder.settle();
        ByteBuffer reply = last(raw);
        header(reply);
        ByteBuffer results = Rpc.success(6, reply.slice());
        assertThat(results.getInt()).isEqualTo(300);
        assertThat(results.slice()).isEqualTo(ByteBuffer.wrap(data));
    }

    @Test
    void paddedWithWriteChunk_arrives_resultGoesThere() throws Exception {
        RawRequester raw = responder.connect(0);
        ByteBuffer sink = ByteBuffer.allocate(5000);
        MemoryRegion region = raw.register(sink, AccessRight.REMOTE_WRITE);
        WriteChunk chunk = new WriteChunk(List.of(new RdmaSegment(region.stag(), 5000, region.taggedOffset())));
        ChunkLists lists = new ChunkLists(List.of(), List.of(chunk), Optional.empty());
        raw.send(message(
                new RdmaMsgp(7, 32, 1024, 1024, lists),
                Rpc.call(7, EchoProgram.READ, 5000).xdr()));
        responder.settle();
        assertThat(sink).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(5000, 0)));
    }

    private static int word(ByteBuffer bytes, int index) {
        return bytes.getInt(bytes.position() + 4 * index);
    }

    /**
     * A padded credential, and data in a Read chunk. Positions count in the XDR stream, which does not include padding
     * (RFC 5666, sections 3.4 and 3.9), and data that are not in the Send have no padding.
     */
    private ByteBuffer paddedWithReadChunk(RawRequester raw, byte[] data, int paddingCounted) throws Exception {
        MemoryRegion region = raw.register(ByteBuffer.wrap(data), AccessRight.REMOTE_READ);
        // 24 bytes of RPC header, a credential of 8 + 60 bytes, a verifier of 8, two words.
        long position = 24L + 8 + 60 + 8 + 8 + paddingCounted;
        List<ReadSegment> reads = List.of(
                new ReadSegment(position, new RdmaSegment(region.stag(), 1000, region.taggedOffset())),
                new ReadSegment(
                        position, new RdmaSegment(region.stag(), data.length - 1000, region.taggedOffset() + 1000)));
        RdmaMsgp msgp = new RdmaMsgp(5, 32, 256, 60, new ChunkLists(reads, List.of(), Optional.empty()));
        ByteBuffer send = ByteBuffer.allocate(4096).put(msgp.encoded());
        send.put(Rpc.header(5, EchoProgram.WRITE, 0).flip().limit(24)).putInt(1).putInt(60);
        while (send.position() % 256 != 0) {
            send.put((byte) 0xee);
        }
        send.putInt(0x5741).putInt(40).put(new byte[40]);
        send.putInt(1000)
                .putInt(1000)
                .putInt(0)
                .putLong(0)
                .putInt(7)
                .putInt(data.length)
                .putInt(9);
        raw.send(send.flip());
        responder.settle();
        ByteBuffer reply = last(raw);
        header(reply);
        return reply.slice();
    }

    @ParameterizedTest
    @ValueSource(ints = {1001, 4000, 70_003})
    void paddedWithReadChunk_arrives_positionsAreThoseWithoutPadding(int count) throws Exception {
        byte[] data = EchoProgram.pattern(count, 3);
        ByteBuffer results = Rpc.success(5, paddedWithReadChunk(responder.connect(0), data, 0));
        assertThat(new int[] {results.getInt(), results.getInt(), results.getInt(), results.getInt()})
                .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)), 9);
    }

    @Test
    void paddedWithReadChunk_positionCountsPadding_garbageArgs() throws Exception {
        RawRequester raw = responder.connect(0);
        for (int counted : new int[] {-4, 4}) {
            assertThat(word(paddedWithReadChunk(raw, EchoProgram.pattern(4000, 3), counted), 5))
                    .isEqualTo(4);
        }
        assertThat(responder.program.writes).isZero();
    }

    @Test
    void messageEndsInsideThePadding_arrives_garbageArgs() throws Exception {
        RawRequester raw = responder.connect(0);
        raw.send(message(
                new RdmaMsgp(8, 32, 4096, 10, ChunkLists.NONE),
                Rpc.call(8, EchoProgram.WRITE, 7, 20, 0, 0, 0, 0, 0, 9).xdr()));
        responder.settle();
        ByteBuffer reply = last(raw);
        header(reply);
        Rpc.accepted(8, 4, reply.slice());
        assertThat(responder.program.writes).isZero();
        responder.assertStillServes(raw);
    }
}
