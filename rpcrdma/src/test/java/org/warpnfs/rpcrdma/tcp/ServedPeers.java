package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;

/**
 * A service and its peers, for tests of one limit each. One peer is hostile, and an honest peer beside it is served.
 * All resources are given back at the end.
 */
@Timeout(120)
abstract class ServedPeers {
    static final int HOSTILE = 2;
    static final int HONEST = 3;
    static final int MIB = 1 << 20;
    static final int THREADS = 2;

    final PayloadPool pool = new PayloadPool(256 << 20, MIB);
    final EchoProgram program = new EchoProgram(pool);
    final OperationThreads threads = new OperationThreads(THREADS);
    final Deque<TcpPeer> peers = new ArrayDeque<>();
    TcpRpcService service;

    void start(TcpOptions.Builder options) throws IOException {
        start(options, program);
    }

    void start(TcpOptions.Builder options, RpcDispatchable served) throws IOException {
        start(options, served, threads);
    }

    void start(TcpOptions.Builder options, RpcDispatchable served, OperationThreads ran) throws IOException {
        service = TcpRpcService.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.<OncRpcProgram, RpcDispatchable>of(EchoProgram.PROGRAM, served),
                ran,
                options.eventLoopThreads(1).build(),
                transport -> {});
    }

    TcpPeer peer(int host) throws IOException {
        TcpPeer peer = new TcpPeer(host, service.localAddress());
        peers.add(peer);
        return peer;
    }

    @AfterEach
    void everythingIsBack() throws Exception {
        for (TcpPeer peer : peers) {
            peer.close();
        }
        service.close();
        synchronized (program) {
            program.parked.forEach(call -> call.reply(XdrVoid.XDR_VOID));
        }
        threads.drain(Duration.ofSeconds(10));
        assertThat(pool.lentBytes()).isZero();
        for (Counter counter : Counter.values()) {
            if (counter.kind() == Counter.Kind.LEVEL) {
                assertThat(count(counter)).as("%s", counter).isZero();
            }
        }
        assertThat(count(Counter.DEFECTS)).isZero();
    }

    long count(Counter counter) {
        return service.statistics().get(counter);
    }

    /** Waits for a condition that must become true. The test's own time limit ends the wait. */
    static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    void answerParked() {
        synchronized (program) {
            program.parked.removeFirst().reply(XdrVoid.XDR_VOID);
        }
    }
}
