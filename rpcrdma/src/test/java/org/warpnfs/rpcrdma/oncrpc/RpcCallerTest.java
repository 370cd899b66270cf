package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAccepsStatus;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.rpcrdma.testing.EchoProgram;

/** The same caller over RDMA and over TCP. */
@Timeout(60)
class RpcCallerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int COUNT = 100_001;

    private final PayloadPool pool = new PayloadPool(16 << 20, 2 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final OperationThreads threads = new OperationThreads(2);
    private final IwarpTransport iwarp = new IwarpTransport();
    private final RpcRequesters requesters = new RpcRequesters(1);
    private RpcRdmaService rdma;
    private Listener listener;
    private TcpRpcService tcp;

    @BeforeEach
    void serve() throws Exception {
        Map<OncRpcProgram, RpcDispatchable> programs = Map.of(EchoProgram.PROGRAM, program);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        rdma = new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, transport -> {});
        listener = iwarp.listen(any, rdma);
        tcp = TcpRpcService.start(any, programs, threads, TcpOptions.DEFAULT, transport -> {});
    }

    @AfterEach
    void everythingIsBack() {
        requesters.close();
        tcp.close();
        rdma.close();
        iwarp.close();
        threads.close();
        assertThat(pool.lentBytes()).isZero();
    }

    private Requester requester(String protocol, BackwardCalls backwardCalls) {
        return protocol.equals("rdma")
                ? requesters.overRdma(
                        iwarp.connector(),
                        listener.localAddress(),
                        RequesterOptions.DEFAULT,
                        RetryPolicy.DEFAULT,
                        backwardCalls)
                : requesters.overTcp(
                        tcp.localAddress(), TcpRequesterOptions.DEFAULT, RetryPolicy.DEFAULT, backwardCalls);
    }

    private RpcCaller caller(String protocol) {
        RequesterTransport transport = new RequesterTransport(requester(protocol, BackwardCalls.NONE), 0);
        return new RpcCaller(EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), transport);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void payloadArgument_long_travelsInAReadChunkOrTheRecord(String protocol) throws Exception {
        Payload payload = pool.tryAcquire(COUNT);
        payload.buffer().put(0, EchoProgram.pattern(COUNT, 0));
        int checksum = EchoProgram.checksum(payload.buffer());
        int[] answer = new int[4];
        caller(protocol)
                .call(
                        EchoProgram.WRITE,
                        (EchoProgram.Encoded) xdr -> {
                            xdr.xdrEncodeInt(7);
                            ((PayloadEncoder) xdr).xdrEncodePayload(payload);
                            xdr.xdrEncodeInt(9);
                        },
                        (EchoProgram.Decoded) xdr -> {
                            for (int i = 0; i < 4; i++) {
                                answer[i] = xdr.xdrDecodeInt();
                            }
                        },
                        List.of(),
                        TIMEOUT);
        assertThat(answer).containsExactly(7, COUNT, checksum, 9);
        if (protocol.equals("rdma")) {
            assertThat(rdma.statistics().get(Counter.RDMA_READ_BYTES)).isEqualTo(COUNT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void payloadResult_sinkOffered_isDecodedFromWhereItCame(String protocol) throws Exception {
        ByteBuffer sink = ByteBuffer.allocateDirect(COUNT + 7);
        byte[] received = new byte[COUNT];
        boolean[] moved = new boolean[1];
        int[] words = new int[2];
        caller(protocol)
                .call(
                        EchoProgram.READ,
                        (EchoProgram.Encoded) xdr -> xdr.xdrEncodeInt(COUNT),
                        (EchoProgram.Decoded) xdr -> {
                            words[0] = xdr.xdrDecodeInt();
                            ByteBuffer bytes = xdr.xdrDecodeByteBuffer();
                            bytes.get(bytes.position(), received);
                            words[1] = xdr.xdrDecodeInt();
                            // Seen in what was decoded if that is the sink itself, and no copy.
                            sink.put(0, (byte) ~received[0]);
                            moved[0] = bytes.get(bytes.position()) == received[0];
                        },
                        List.of(sink),
                        TIMEOUT);
        assertThat(moved[0]).isEqualTo(protocol.equals("tcp"));
        assertThat(received).isEqualTo(EchoProgram.pattern(COUNT, 0));
        assertThat(words).containsExactly(0x11111111, 0x22222222);
        assertThat(sink.get(1)).isEqualTo(protocol.equals("rdma") ? EchoProgram.pattern(1) : 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void program_fails_saysSo(String protocol) {
        RpcCaller caller = caller(protocol);
        assertThatThrownBy(() -> caller.call(EchoProgram.FAIL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, List.of(), TIMEOUT))
                .isInstanceOf(OncRpcAcceptedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void results_shorterThanTheirDecoder_failTheCall(String protocol) throws Exception {
        RpcCaller caller = caller(protocol);
        assertThatThrownBy(() -> caller.call(
                        EchoProgram.NULL,
                        XdrVoid.XDR_VOID,
                        (EchoProgram.Decoded) xdr -> xdr.xdrDecodeInt(),
                        List.of(),
                        TIMEOUT))
                .isInstanceOf(IOException.class);
        caller.start(EchoProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, ChunkOffer.NONE, TIMEOUT)
                .get(30, TimeUnit.SECONDS);
    }

    /**
     * A failing decoder of an oncrpc4j RpcCall fails its own call, which ends although its caller set no time limit.
     */
    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void resultDecoder_throws_failsItsCallAlone(String protocol) throws Exception {
        Requester requester = requester(protocol, BackwardCalls.NONE);
        RequesterTransport transport = new RequesterTransport(requester, 0);
        RpcCall call = new RpcCall(EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), transport);
        call.call(EchoProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID);
        EchoProgram.Decoded broken = xdr -> {
            throw new IllegalStateException("no such arm");
        };
        assertThatThrownBy(() -> call.call(EchoProgram.NULL, XdrVoid.XDR_VOID, broken))
                .isInstanceOf(IOException.class)
                .hasRootCauseMessage("no such arm");
        assertThat(requester.open()).isTrue();
        call.call(EchoProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID);
        assertThat(program.transports).as("of one connection").containsOnly(program.transports.getFirst());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void callsThatCannotBeMade_areRefusedBeforeAnythingHappens(String protocol) throws Exception {
        Requester requester = requester(protocol, BackwardCalls.NONE);
        assertThatThrownBy(() -> requester.call(RpcMessage.of(ByteBuffer.allocate(3)), ChunkOffer.NONE))
                .isInstanceOf(IllegalArgumentException.class);
        ByteBuffer readOnly = ByteBuffer.allocate(100).asReadOnlyBuffer();
        assertThatThrownBy(() -> ChunkOffer.write(readOnly)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ChunkOffer.reply(readOnly)).isInstanceOf(IllegalArgumentException.class);
        new RpcCaller(
                        EchoProgram.NUMBER,
                        EchoProgram.VERSION,
                        new RpcAuthTypeNone(),
                        new RequesterTransport(requester, 0))
                .call(
                        EchoProgram.NULL,
                        XdrVoid.XDR_VOID,
                        XdrVoid.XDR_VOID,
                        List.of(),
                        Duration.ofSeconds(Long.MAX_VALUE));
    }

    /** Programs may still run when the threads of their connections have ended. */
    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void transportClosed_programAnswersAfterwards_itsPayloadIsReleased(String protocol) throws Exception {
        CompletableFuture<Void> never =
                caller(protocol).start(EchoProgram.PARK, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, ChunkOffer.NONE, TIMEOUT);
        while (program.parkedCount() == 0) {
            Thread.onSpinWait();
        }
        tcp.close();
        rdma.close();
        iwarp.close();
        assertThatThrownBy(() -> never.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        Payload payload = pool.tryAcquire(100);
        program.parked.getFirst().reply((EchoProgram.Encoded) xdr -> ((PayloadEncoder) xdr).xdrEncodePayload(payload));
        assertThat(pool.lentBytes()).isZero();
        var statistics = protocol.equals("rdma") ? rdma.statistics() : tcp.statistics();
        assertThat(statistics.get(Counter.CALLS_RUNNING)).isZero();
    }

    /** A client answers also calls that it cannot run (RFC 8167). Otherwise their credit would be lost at both ends. */
    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void clientTakesNoCallsBack_anyMore_eachIsAnsweredWithAnError(String protocol) throws Exception {
        InetSocketAddress server = protocol.equals("rdma") ? listener.localAddress() : tcp.localAddress();
        OperationThreads closed = new OperationThreads(1);
        closed.close();
        RequesterTransport transport =
                new RequesterTransport(requester(protocol, new BackwardPrograms(Map.of(), closed, server)), 0);
        new RpcCall(EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), transport)
                .call(EchoProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID);
        RpcCall back = new RpcCall(
                EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), program.transports.getFirst());
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> back.call(EchoProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID))
                    .isInstanceOf(OncRpcAcceptedException.class)
                    .hasMessageContaining(RpcAccepsStatus.toString(RpcAccepsStatus.SYSTEM));
        }
        assertThat(transport.isOpen()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void serverCallsBack_onTheClientsConnection_runsTheClientsProgram(String protocol) throws Exception {
        InetSocketAddress server = protocol.equals("rdma") ? listener.localAddress() : tcp.localAddress();
        try (OperationThreads clientThreads = new OperationThreads(1)) {
            BackwardPrograms callbacks =
                    new BackwardPrograms(Map.of(EchoProgram.PROGRAM, new EchoProgram(pool)), clientThreads, server);
            RequesterTransport transport = new RequesterTransport(requester(protocol, callbacks), 0);
            new RpcCaller(EchoProgram.NUMBER, EchoProgram.VERSION, new RpcAuthTypeNone(), transport)
                    .start(EchoProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, ChunkOffer.NONE, TIMEOUT)
                    .get(30, TimeUnit.SECONDS);
            RpcCall back = new RpcCall(
                    EchoProgram.NUMBER,
                    EchoProgram.VERSION,
                    new RpcAuthTypeNone(),
                    program.transports.getFirst().getPeerTransport());
            byte[][] copied = new byte[1][];
            back.call(
                    EchoProgram.COPY,
                    (EchoProgram.Encoded) xdr -> xdr.xdrEncodeDynamicOpaque(new byte[] {5, 6, 7}),
                    (EchoProgram.Decoded) xdr -> copied[0] = xdr.xdrDecodeDynamicOpaque(),
                    30,
                    TimeUnit.SECONDS);
            assertThat(copied[0]).containsExactly(5, 6, 7);
        }
    }

    @Test
    void longReply_replySinkOffered_isDecodedFromIt() throws Exception {
        byte[][] received = new byte[1][];
        caller("rdma")
                .start(
                        EchoProgram.BULK,
                        (EchoProgram.Encoded) xdr -> xdr.xdrEncodeInt(COUNT),
                        (EchoProgram.Decoded) xdr -> received[0] = xdr.xdrDecodeDynamicOpaque(),
                        new ChunkOffer(List.of(), Optional.of(ByteBuffer.allocateDirect(COUNT + 100))),
                        TIMEOUT)
                .get(30, TimeUnit.SECONDS);
        assertThat(received[0]).isEqualTo(EchoProgram.pattern(COUNT, 0));
    }
}
