package org.warpnfs.rpcrdma.example;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrOpaque;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.oncrpc.RequesterTransport;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.tcp.TcpOptions;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;

/** Serves one program over RDMA and over TCP, and calls it over both. */
final class ServeAndCall {
    private ServeAndCall() {}

    static List<String> run(String text) throws Exception {
        Map<OncRpcProgram, RpcDispatchable> programs = Map.of(ReverseServerStub.PROGRAM, new Reverse());
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        PayloadPool pool = new PayloadPool(64 << 20, 2 << 20);
        try (OperationThreads threads = new OperationThreads(4);
                IwarpTransport iwarp = new IwarpTransport();
                RpcRdmaService rdma =
                        new RpcRdmaService(programs, threads, pool, ResponderOptions.DEFAULT, transport -> {});
                Listener listener = iwarp.listen(anyPort, rdma);
                TcpRpcService tcp =
                        TcpRpcService.start(anyPort, programs, threads, TcpOptions.DEFAULT, transport -> {});
                RpcRequesters requesters = new RpcRequesters(1)) {
            Requester overRdma = requesters.overRdma(
                    iwarp.connector(),
                    listener.localAddress(),
                    RequesterOptions.DEFAULT,
                    RetryPolicy.DEFAULT,
                    BackwardCalls.NONE);
            Requester overTcp = requesters.overTcp(
                    tcp.localAddress(), TcpRequesterOptions.DEFAULT, RetryPolicy.DEFAULT, BackwardCalls.NONE);
            return List.of(reverse(overRdma, text), reverse(overTcp, text));
        }
    }

    static String reverse(Requester requester, String text) throws IOException {
        RequesterTransport transport = new RequesterTransport(requester, 1 << 20);
        OncRpcProgram program = ReverseServerStub.PROGRAM;
        RpcCall call = new RpcCall(program.getNumber(), program.getVersion(), new RpcAuthTypeNone(), transport);
        XdrOpaque answer = new XdrOpaque(new byte[0]);
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            call.call(ReverseServerStub.REVERSE, new XdrOpaque(bytes), answer, 30, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(e);
        }
        return new String(answer.getOpaque(), StandardCharsets.UTF_8);
    }
}
