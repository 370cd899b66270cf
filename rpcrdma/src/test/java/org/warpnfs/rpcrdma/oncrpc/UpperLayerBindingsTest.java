package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.rpcrdma.testing.EchoProgram;

/**
 * Programs that do not know chunks, and encode DDP-eligible items like any other opaque or string, as nfs4j's NFSv3
 * does.
 */
@Timeout(60)
class UpperLayerBindingsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int NFS = 100_003;
    private static final int ACCESS = 4;
    private static final int READLINK = 5;
    private static final int READ = 6;
    private static final int OWN = 0x2000_0077;
    private static final int PAIR = 9;
    private static final int EOF = 1;
    private static final int AFTER = 0x0abc;
    private static final int SINK_BYTES = 1 << 20;

    private final PayloadPool pool = new PayloadPool(16 << 20, 2 << 20);
    private final OperationThreads threads = new OperationThreads(2);
    private final IwarpTransport iwarp = new IwarpTransport();
    private final RpcRequesters requesters = new RpcRequesters(1);
    private RpcRdmaService rdma;
    private TcpRpcService tcp;

    /** A program that reuses its arrays as soon as it has encoded them. */
    private static final class Plain implements RpcDispatchable {
        @Override
        public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
            int count = call.getXdr().xdrDecodeInt();
            byte[] first = EchoProgram.pattern(count, 0);
            byte[] second = EchoProgram.pattern(count, 1);
            switch (call.getProcedure()) {
                case READ, ACCESS ->
                    call.reply((EchoProgram.Encoded) xdr -> {
                        xdr.xdrEncodeInt(0);
                        xdr.xdrEncodeInt(count);
                        xdr.xdrEncodeInt(EOF);
                        xdr.xdrEncodeDynamicOpaque(first);
                        Arrays.fill(first, (byte) 0xee);
                        xdr.xdrEncodeInt(AFTER);
                    });
                case READLINK ->
                    call.reply((EchoProgram.Encoded) xdr -> {
                        xdr.xdrEncodeInt(0);
                        xdr.xdrEncodeString("ä".repeat(count));
                    });
                case PAIR ->
                    call.reply((EchoProgram.Encoded) xdr -> {
                        xdr.xdrEncodeString("no data");
                        xdr.xdrEncodeDynamicOpaque(first);
                        Arrays.fill(first, (byte) 0xee);
                        xdr.xdrEncodeInt(AFTER);
                        xdr.xdrEncodeDynamicOpaque(second);
                        Arrays.fill(second, (byte) 0xee);
                        xdr.xdrEncodeInt(AFTER);
                    });
                default -> call.failProcedureUnavailable();
            }
        }
    }

    private RequesterTransport serve(String protocol, UpperLayerBindings bindings) throws IOException {
        Map<OncRpcProgram, RpcDispatchable> programs = Map.of(
                new OncRpcProgram(NFS, 2), new Plain(),
                new OncRpcProgram(NFS, 3), new Plain(),
                new OncRpcProgram(OWN, 1), new Plain());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Requester requester;
        if (protocol.equals("rdma")) {
            rdma = bindings == null
                    ? new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, transport -> {})
                    : new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, bindings, transport -> {});
            Listener listener = iwarp.listen(any, rdma);
            requester = requesters.overRdma(
                    iwarp.connector(),
                    listener.localAddress(),
                    RequesterOptions.DEFAULT,
                    RetryPolicy.NONE,
                    BackwardCalls.NONE);
        } else {
            tcp = TcpRpcService.start(any, programs, threads, TcpOptions.DEFAULT, transport -> {});
            requester = requesters.overTcp(
                    tcp.localAddress(), TcpRequesterOptions.DEFAULT, RetryPolicy.NONE, BackwardCalls.NONE);
        }
        return new RequesterTransport(requester, 0);
    }

    @AfterEach
    void close() {
        requesters.close();
        if (rdma != null) {
            rdma.close();
        }
        if (tcp != null) {
            tcp.close();
        }
        iwarp.close();
        threads.close();
        assertThat(pool.lentBytes()).isZero();
    }

    private static RpcCaller caller(RequesterTransport transport, int program, int version) {
        return new RpcCaller(program, version, new RpcAuthTypeNone(), transport);
    }

    private static byte[] copy(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        return copy;
    }

    /** READ or a procedure with results of the same kind. */
    private static byte[] read(RpcCaller caller, int procedure, int count, ChunkOffer offer) throws Exception {
        List<byte[]> data = new ArrayList<>();
        List<Integer> words = new ArrayList<>();
        caller.start(
                        procedure,
                        (EchoProgram.Encoded) xdr -> xdr.xdrEncodeInt(count),
                        (EchoProgram.Decoded) xdr -> {
                            words.add(xdr.xdrDecodeInt());
                            words.add(xdr.xdrDecodeInt());
                            words.add(xdr.xdrDecodeInt());
                            data.add(
                                    offer.writeSinks().isEmpty() || procedure != READ
                                            ? xdr.xdrDecodeDynamicOpaque()
                                            : copy(xdr.xdrDecodeByteBuffer()));
                            words.add(xdr.xdrDecodeInt());
                        },
                        offer,
                        TIMEOUT)
                .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        assertThat(words).containsExactly(0, count, EOF, AFTER);
        return data.getFirst();
    }

    private static ChunkOffer sinks(int count) {
        List<ByteBuffer> sinks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sinks.add(ByteBuffer.allocateDirect(SINK_BYTES));
        }
        return new ChunkOffer(sinks, Optional.empty());
    }

    private long written() {
        return rdma.statistics().get(Counter.WRITE_CHUNK_BYTES);
    }

    @ParameterizedTest
    @CsvSource({
        "rdma, 3, 0",
        "rdma, 3, 1",
        "rdma, 3, 2",
        "rdma, 3, 3",
        "rdma, 3, 4",
        "rdma, 3, 1000",
        "rdma, 3, 32768",
        "rdma, 3, 32769",
        "rdma, 3, 1048576",
        "rdma, 2, 8192",
        "tcp, 3, 0",
        "tcp, 3, 3",
        "tcp, 3, 32768",
        "tcp, 3, 32769",
        "tcp, 3, 1048576",
        "tcp, 2, 8192"
    })
    void nfsRead_asAnOpaque_fillsTheWriteChunkOrTheRecord(String protocol, int version, int count) throws Exception {
        RpcCaller caller = caller(serve(protocol, null), NFS, version);
        assertThat(read(caller, READ, count, sinks(1))).isEqualTo(EchoProgram.pattern(count, 0));
        if (rdma != null) {
            assertThat(written()).isEqualTo(count);
        }
    }

    @Test
    void nfsRead_noWriteChunk_isInlineOrInTheReplyChunk() throws Exception {
        RpcCaller caller = caller(serve("rdma", null), NFS, 3);
        assertThat(read(caller, READ, 1001, ChunkOffer.NONE)).isEqualTo(EchoProgram.pattern(1001, 0));
        assertThat(rdma.statistics().get(Counter.LONG_REPLIES)).isZero();
        ChunkOffer replyChunk = new ChunkOffer(List.of(), Optional.of(ByteBuffer.allocateDirect(SINK_BYTES)));
        assertThat(read(caller, READ, 32_769, replyChunk)).isEqualTo(EchoProgram.pattern(32_769, 0));
        assertThat(rdma.statistics().get(Counter.LONG_REPLIES)).isEqualTo(1);
        assertThat(written()).isZero();
    }

    @Test
    void nfsRead_longerThanItsWriteChunk_isErrChunk() throws Exception {
        RpcCaller caller = caller(serve("rdma", null), NFS, 3);
        assertThatThrownBy(() -> read(caller, READ, SINK_BYTES + 1, sinks(1)))
                .hasCauseInstanceOf(RequestException.class);
        assertThat(rdma.statistics().get(Counter.ERR_CHUNK_TOO_BIG_SENT)).isEqualTo(1);
        assertThat(read(caller, READ, 5, sinks(1))).as("the next one").hasSize(5);
    }

    @Test
    void unboundProcedure_writeChunkOffered_staysInTheReply() throws Exception {
        RpcCaller caller = caller(serve("rdma", null), NFS, 3);
        assertThat(read(caller, ACCESS, 1001, sinks(1))).isEqualTo(EchoProgram.pattern(1001, 0));
        assertThat(written()).isZero();
    }

    @Test
    void nothingBound_nfsRead_staysInTheReply() throws Exception {
        RpcCaller caller = caller(serve("rdma", UpperLayerBindings.NONE), NFS, 3);
        assertThat(read(caller, READ, 1001, sinks(1))).isEqualTo(EchoProgram.pattern(1001, 0));
        assertThat(written()).isZero();
        assertThatThrownBy(() -> read(caller, READ, 32_768, sinks(1))).hasCauseInstanceOf(RequestException.class);
    }

    @ParameterizedTest
    @CsvSource({"rdma, 2", "rdma, 3", "tcp, 2", "tcp, 3"})
    void nfsReadlink_asAString_fillsTheWriteChunkOrTheRecord(String protocol, int version) throws Exception {
        RpcCaller caller = caller(serve(protocol, null), NFS, version);
        List<String> path = new ArrayList<>();
        caller.call(
                READLINK,
                (EchoProgram.Encoded) xdr -> xdr.xdrEncodeInt(511),
                (EchoProgram.Decoded) xdr -> {
                    assertThat(xdr.xdrDecodeInt()).isZero();
                    path.add(StandardCharsets.UTF_8
                            .decode(xdr.xdrDecodeByteBuffer())
                            .toString());
                },
                sinks(1).writeSinks(),
                TIMEOUT);
        assertThat(path).containsExactly("ä".repeat(511));
        if (rdma != null) {
            assertThat(written()).isEqualTo(1022);
        }
    }

    @ParameterizedTest
    @CsvSource({"rdma, 32769", "rdma, 3", "rdma, 0", "tcp, 32769"})
    void ownBinding_twoOpaques_fillTheirWriteChunksInOrder(String protocol, int count) throws Exception {
        UpperLayerBindings bindings = UpperLayerBindings.RFC_8267.toBuilder()
                .opaqueResults(OWN, 1, PAIR)
                .build();
        RequesterTransport transport = serve(protocol, bindings);
        List<byte[]> data = new ArrayList<>();
        caller(transport, OWN, 1)
                .call(
                        PAIR,
                        (EchoProgram.Encoded) xdr -> xdr.xdrEncodeInt(count),
                        (EchoProgram.Decoded) xdr -> {
                            assertThat(xdr.xdrDecodeString()).isEqualTo("no data");
                            data.add(copy(xdr.xdrDecodeByteBuffer()));
                            assertThat(xdr.xdrDecodeInt()).isEqualTo(AFTER);
                            data.add(copy(xdr.xdrDecodeByteBuffer()));
                            assertThat(xdr.xdrDecodeInt()).isEqualTo(AFTER);
                        },
                        sinks(3).writeSinks(),
                        TIMEOUT);
        assertThat(data).containsExactly(EchoProgram.pattern(count, 0), EchoProgram.pattern(count, 1));
        if (rdma != null) {
            assertThat(written()).isEqualTo(2L * count);
            assertThat(read(caller(transport, NFS, 3), READ, 40_000, sinks(1)))
                    .as("what was bound before")
                    .isEqualTo(EchoProgram.pattern(40_000, 0));
        }
    }

    @Test
    void bindings_ofOneProcedure_addUp() {
        UpperLayerBindings bindings = UpperLayerBindings.builder()
                .opaqueResults(1, 2, 3, 4)
                .stringResults(1, 2, 4, 5)
                .opaqueResults(1, 2, 4)
                .build();
        assertThat(bindings.of(1, 2, 3)).isEqualTo(UpperLayerBindings.Eligible.OPAQUES);
        assertThat(bindings.of(1, 2, 4)).isEqualTo(UpperLayerBindings.Eligible.BOTH);
        assertThat(bindings.of(1, 2, 5)).isEqualTo(UpperLayerBindings.Eligible.STRINGS);
        assertThat(bindings.of(1, 3, 3)).isEqualTo(UpperLayerBindings.Eligible.NOTHING);
        assertThat(UpperLayerBindings.RFC_8267.of(NFS, 4, 1)).isEqualTo(UpperLayerBindings.Eligible.NOTHING);
    }
}
