package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawResponder;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsgp;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.ReadSegment;

/** RDMA_MSGP as a reply, which a responder of RFC 5666 may send (section 3.9). */
class PaddedReplyTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Simulation simulation = new Simulation(3);
    private final RawResponder responder = new RawResponder();
    private final Results results = new Results();
    private RpcRdmaRequester requester;

    /** Three opaque items, each decoded in another way, and a word behind them. */
    private static final class Results implements EchoProgram.Decoded {
        private byte[] first = {};
        private String second = "";
        private ByteBuffer third = ByteBuffer.allocate(0);
        private int tail;

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws OncRpcException, IOException {
            first = xdr.xdrDecodeDynamicOpaque();
            second = xdr.xdrDecodeString();
            ByteBuffer bytes = xdr.xdrDecodeByteBuffer();
            third = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
            tail = xdr.xdrDecodeInt();
        }
    }

    private RequesterTransport connect() {
        simulation.listen(SERVER, responder);
        CompletableFuture<RpcRdmaRequester> connecting = RpcRdmaRequester.connect(
                simulation.connector(),
                SERVER,
                RequesterOptions.DEFAULT.withMaxReadReplyBytes(10_000),
                BackwardCalls.NONE);
        simulation.run();
        requester = connecting.join();
        return new RequesterTransport(requester, 0);
    }

    private CompletableFuture<Void> call() throws Exception {
        CompletableFuture<Void> call = new RpcCaller(
                        EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), connect())
                .start(EchoProgram.NULL, XdrVoid.XDR_VOID, results, ChunkOffer.NONE, TIMEOUT);
        simulation.run();
        return call;
    }

    private void answer(ByteBuffer message) {
        responder.send(message);
        simulation.run();
    }

    private RdmaMsgp header(long alignment, long threshold, ChunkLists lists) {
        return new RdmaMsgp(Integer.toUnsignedLong(responder.xid(0)), 32, alignment, threshold, lists);
    }

    private static void item(ByteBuffer send, RdmaMsgp msgp, byte[] item) {
        send.putInt(item.length);
        while (item.length >= msgp.thresholdBytes() && send.position() % msgp.alignmentBytes() != 0) {
            // Not zero, because the content of padding is not checked.
            send.put((byte) 0xee);
        }
        send.put(item).position(send.position() + (-item.length & 3));
    }

    /** Up to the results, with a verifier. */
    private static ByteBuffer accepted(RdmaMsgp msgp, int verifierBytes) {
        ByteBuffer send = ByteBuffer.allocate(4096).put(msgp.encoded());
        send.putInt((int) msgp.xid()).putInt(1).putInt(0).putInt(6);
        item(send, msgp, EchoProgram.pattern(verifierBytes, 3));
        return send.putInt(0);
    }

    private static ByteBuffer padded(RdmaMsgp msgp, int verifierBytes, int count) {
        ByteBuffer send = accepted(msgp, verifierBytes);
        item(send, msgp, EchoProgram.pattern(count, 0));
        item(send, msgp, new byte[] {'a', 'b', 'c'});
        item(send, msgp, EchoProgram.pattern(count, 1));
        return send.putInt(9).flip();
    }

    private void expectResults(int count) {
        assertThat(results.first).isEqualTo(EchoProgram.pattern(count, 0));
        assertThat(results.second).isEqualTo("abc");
        assertThat(results.third).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count, 1)));
        assertThat(results.tail).isEqualTo(9);
        assertThat(requester.open()).isTrue();
        assertThat(simulation.internalErrors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 0, 5",
        "64, 0, 0, 0",
        "64, 0, 12, 5",
        "256, 3, 12, 3",
        "512, 100, 12, 99",
        "512, 100, 12, 100",
        "512, 100, 101, 101",
        "4, 1, 3, 1001",
        "1024, 4096, 400, 700"
    })
    void padded_arrives_eachOpaqueIsFound(long alignment, long threshold, int verifierBytes, int count)
            throws Exception {
        CompletableFuture<Void> call = call();
        answer(padded(header(alignment, threshold, ChunkLists.NONE), verifierBytes, count));
        call.join();
        expectResults(count);
    }

    /** Such a reply is copied before it is decoded. */
    @ParameterizedTest
    @CsvSource({"64, 0, 12, 5", "512, 100, 101, 101", "4, 1, 3, 1001"})
    void padded_arrivesForACallOfOncrpc4j_eachOpaqueIsFound(
            long alignment, long threshold, int verifierBytes, int count) throws Exception {
        RpcCall caller = new RpcCall(EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), connect());
        CompletableFuture<RpcReply> call = new CompletableFuture<>();
        caller.call(EchoProgram.NULL, XdrVoid.XDR_VOID, new CompletionHandler<>() {
            @Override
            public void completed(RpcReply reply, RpcTransport transport) {
                call.complete(reply);
            }

            @Override
            public void failed(Throwable why, RpcTransport transport) {
                call.completeExceptionally(why);
            }
        });
        simulation.run();
        answer(padded(header(alignment, threshold, ChunkLists.NONE), verifierBytes, count));
        call.join().getReplyResult(results);
        expectResults(count);
    }

    /** Data in a Read chunk are not in the Send and have no padding. Positions do not count padding. */
    @Test
    void paddedWithReadChunk_arrives_eachOpaqueIsFound() throws Exception {
        CompletableFuture<Void> call = call();
        MemoryRegion region = responder.expose(ByteBuffer.wrap(EchoProgram.pattern(2000, 1)));
        // 16 bytes, a verifier of 4 + 12, a status, items of 4 + 100 and 4 + 4, a count.
        ReadSegment segment =
                new ReadSegment(16 + 16 + 4 + 104 + 8 + 4, new RdmaSegment(region.stag(), 2000, region.taggedOffset()));
        RdmaMsgp msgp = header(256, 12, new ChunkLists(List.of(segment), List.of(), Optional.empty()));
        ByteBuffer send = accepted(msgp, 12);
        item(send, msgp, EchoProgram.pattern(100, 0));
        item(send, msgp, new byte[] {'a', 'b', 'c'});
        answer(send.putInt(2000).putInt(9).flip());
        call.join();
        assertThat(results.first).isEqualTo(EchoProgram.pattern(100, 0));
        assertThat(results.third).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(2000, 1)));
        assertThat(results.tail).isEqualTo(9);
        assertThat(requester.open()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3, 65_535, 131_072, 1L << 31, 0xffff_ffffL})
    void alignmentThatIsNone_arrives_failsTheCallAndEndsTheConnection(long alignment) throws Exception {
        CompletableFuture<Void> call = call();
        RdmaMsgp msgp = header(alignment, 1000, ChunkLists.NONE);
        answer(padded(msgp, 4, 5));
        assertThatThrownBy(call::join).hasMessageContaining("alignment of " + alignment);
        assertThat(requester.open()).isFalse();
    }

    @Test
    void messageEndsInsideThePadding_arrives_failsTheCallAlone() throws Exception {
        CompletableFuture<Void> call = call();
        RdmaMsgp msgp = header(4096, 100, ChunkLists.NONE);
        answer(accepted(msgp, 4).putInt(100).put(new byte[200]).flip());
        assertThatThrownBy(call::join).hasCauseInstanceOf(BadXdrOncRpcException.class);
        assertThat(requester.open()).isTrue();
    }
}
