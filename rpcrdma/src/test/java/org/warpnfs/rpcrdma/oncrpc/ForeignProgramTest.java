package org.warpnfs.rpcrdma.oncrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuthType;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeUnix;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrString;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
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
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;

/**
 * Programs of the kind of nfs4j's {@code NfsServerV3} and {@code NFSServerV41}, which are not on Maven Central. They
 * call the same methods of {@code RpcCall} and its transport: two programs and three versions under one dispatcher,
 * over RDMA and TCP, IPv4 and IPv6.
 */
@Timeout(60)
class ForeignProgramTest {
    private static final int NFS = 100_003;
    private static final int MOUNT = 100_005;
    private static final int COMPOUND = 1;
    private static final int GARBAGE = 2;
    private static final int BROKEN = 3;
    private static final int CALLBACK = 0x4000_0000;
    private static final int SECONDS = 30;

    private final PayloadPool pool = new PayloadPool(8 << 20, 2 << 20);
    private final OperationThreads threads = new OperationThreads(2);
    private final IwarpTransport iwarp = new IwarpTransport();
    private final RpcRequesters requesters = new RpcRequesters(1);
    private final ConcurrentLinkedQueue<RpcTransport> gone = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<RpcTransport> firstGone = new CompletableFuture<>();
    private final Server v3 = new Server(3);
    private final Server v4 = new Server(4);
    private RpcRdmaService rdma;
    private TcpRpcService tcp;

    /** A program as oncrpc4j's rpcgen makes its stubs and nfs4j completes them. */
    private static final class Server implements RpcDispatchable {
        private final int version;
        private final Map<RpcTransport, RpcCall> backChannels = new HashMap<>();

        Server(int version) {
            this.version = version;
        }

        @Override
        public void dispatchOncRpcCall(RpcCall call) throws OncRpcException, IOException {
            if (call.getProgramVersion() != version) {
                call.failProgramMismatch(version, version);
                return;
            }
            switch (call.getProcedure()) {
                case 0 -> {
                    call.retrieveCall(XdrVoid.XDR_VOID);
                    call.reply(XdrVoid.XDR_VOID);
                }
                case COMPOUND -> {
                    XdrInt argument = new XdrInt();
                    call.retrieveCall(argument);
                    call.reply(new XdrString(compound(call, argument.intValue())));
                }
                case GARBAGE -> call.failRpcGarbage();
                case BROKEN -> call.failRpcSystem();
                default -> call.failProcedureUnavailable();
            }
        }

        private synchronized String compound(RpcCall call, int argument) throws IOException {
            RpcTransport transport = call.getTransport();
            assertThat(transport.isOpen()).isTrue();
            assertThat(call.getCredential().type()).isEqualTo(RpcAuthType.UNIX);
            long uid = ((RpcAuthTypeUnix) call.getCredential()).uid();
            RpcCall back = backChannels.computeIfAbsent(
                    transport.getPeerTransport(), peer -> new RpcCall(CALLBACK, 1, new RpcAuthTypeNone(), peer));
            XdrInt answer = new XdrInt();
            try {
                back.call(COMPOUND, new XdrInt(argument), answer, SECONDS, TimeUnit.SECONDS);
            } catch (java.util.concurrent.TimeoutException e) {
                throw new IOException(e);
            }
            return uid + " " + transport.getRemoteSocketAddress().getAddress().isLoopbackAddress() + " "
                    + transport.getLocalSocketAddress().getPort() + " " + answer.intValue();
        }
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
    }

    private void disconnected(RpcTransport transport) {
        gone.add(transport);
        firstGone.complete(transport);
    }

    private Requester connect(String protocol, String host) throws Exception {
        Map<OncRpcProgram, RpcDispatchable> programs = Map.of(
                new OncRpcProgram(NFS, 3), v3,
                new OncRpcProgram(NFS, 4), v4,
                new OncRpcProgram(MOUNT, 3), new Server(3));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName(host), 0);
        RetryPolicy policy = RetryPolicy.NONE;
        if (protocol.equals("rdma")) {
            rdma = new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, this::disconnected);
            Listener listener = iwarp.listen(any, rdma);
            return requesters.overRdma(
                    iwarp.connector(),
                    listener.localAddress(),
                    RequesterOptions.DEFAULT,
                    policy,
                    callbacks(listener.localAddress()));
        }
        tcp = TcpRpcService.start(any, programs, threads, TcpOptions.DEFAULT, this::disconnected);
        return requesters.overTcp(
                tcp.localAddress(), TcpRequesterOptions.DEFAULT, policy, callbacks(tcp.localAddress()));
    }

    /** The client's own program, which adds one to its argument. */
    private BackwardPrograms callbacks(InetSocketAddress server) {
        RpcDispatchable next = call -> {
            XdrInt argument = new XdrInt();
            call.retrieveCall(argument);
            call.reply(new XdrInt(argument.intValue() + 1));
        };
        return new BackwardPrograms(Map.of(new OncRpcProgram(CALLBACK, 1), next), Runnable::run, server);
    }

    @ParameterizedTest
    @CsvSource({"rdma, 127.0.0.1", "rdma, ::1", "tcp, 127.0.0.1", "tcp, ::1"})
    void programsOfNfs4jsShape_served_findWhatTheyAskFor(String protocol, String host) throws Exception {
        Requester requester = connect(protocol, host);
        RequesterTransport transport = new RequesterTransport(requester, 1 << 16);
        RpcAuthTypeUnix user = new RpcAuthTypeUnix(1000, 100, new int[] {5, 6}, 0, "client");
        for (int version : new int[] {3, 4}) {
            RpcCall nfs = new RpcCall(NFS, version, user, transport);
            nfs.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, SECONDS, TimeUnit.SECONDS);
            for (int i = 0; i < 3; i++) {
                XdrString result = new XdrString();
                nfs.call(COMPOUND, new XdrInt(i), result, SECONDS, TimeUnit.SECONDS);
                int port = requester.remoteAddress().getPort();
                assertThat(result.stringValue()).isEqualTo("1000 true " + port + " " + (i + 1));
            }
            for (int procedure : new int[] {GARBAGE, BROKEN, 99}) {
                assertThatThrownBy(() ->
                                nfs.call(procedure, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, SECONDS, TimeUnit.SECONDS))
                        .isInstanceOf(OncRpcAcceptedException.class);
            }
        }
        new RpcCall(MOUNT, 3, user, transport).call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, SECONDS, TimeUnit.SECONDS);
        for (int[] unknown : new int[][] {{NFS, 2}, {MOUNT, 1}, {100_021, 4}}) {
            RpcCall call = new RpcCall(unknown[0], unknown[1], user, transport);
            assertThatThrownBy(() -> call.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(OncRpcAcceptedException.class);
        }
        assertThat(v4.backChannels).as("one connection, one transport").hasSize(1);
        requester.close();
        assertThat(firstGone.get(SECONDS, TimeUnit.SECONDS))
                .as("what the server keyed its state on")
                .isSameAs(v4.backChannels.keySet().iterator().next());
        assertThat(List.copyOf(gone)).hasSize(1);
    }
}
