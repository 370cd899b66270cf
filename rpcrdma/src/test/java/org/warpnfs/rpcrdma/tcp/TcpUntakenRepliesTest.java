package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.junit.jupiter.api.Test;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;

/** Replies that a peer does not take. The memory that they hold is limited, and an honest peer beside it is served. */
class TcpUntakenRepliesTest extends ServedPeers {
    @Test
    void repliesTakenTooSlowly_leastRate_connectionIsClosedAndTheirMemoryIsBack() throws Exception {
        start(TcpOptions.builder().leastRate(64 << 10, Duration.ofMillis(1500)));
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 16; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.READ, MIB));
        }
        TcpPeer honest = peer(HONEST);
        await(() -> pool.lentBytes() > 0);
        for (int xid = 0; count(Counter.REPLIES_TOO_SLOW) == 0; xid++) {
            honest.ping(xid);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        await(() -> pool.lentBytes() == 0);
        honest.ping(-1);
        assertThat(count(Counter.CONNECTIONS_OPEN)).isEqualTo(1);
    }

    @Test
    void repliesNotTaken_connectionMark_startsNoMoreCalls() throws Exception {
        start(TcpOptions.builder().maxCalls(2, 64).maxUnsentBytes(8 * MIB, 64 * MIB));
        TcpPeer hostile = peer(HOSTILE);
        sendAside(hostile, 64);
        await(() -> count(Counter.UNSENT_WAITS) > 0 || count(Counter.CALLS_RUNNING) == 0);
        TcpPeer honest = peer(HONEST);
        for (int xid = 0; xid < 50; xid++) {
            honest.ping(xid);
        }
        assertThat(count(Counter.UNSENT_BYTES)).isLessThan(8 * MIB + 3L * MIB);
        takeReplies(hostile, 64);
    }

    @Test
    void repliesNotTaken_clientMark_stopsAllItsConnectionsAndNoOther() throws Exception {
        start(TcpOptions.builder().maxCalls(4, 256).maxUnsentBytes(64 * MIB, 6 * MIB));
        TcpPeer[] hostile = new TcpPeer[8];
        for (int i = 0; i < hostile.length; i++) {
            hostile[i] = peer(HOSTILE);
            hostile[i].ping(0);
        }
        for (int i = 0; i < hostile.length; i++) {
            for (int xid = 0; xid < 8; xid++) {
                hostile[i].send(Rpc.call(xid, EchoProgram.READ, MIB));
            }
            int now = i;
            // One after the other, because calls that have been started are not withdrawn.
            await(() -> count(Counter.CALLS_RUNNING) == 0
                    && (count(Counter.REPLIES_SENT) >= 8 + 4 * (now + 1) || count(Counter.CLIENT_WAITS) > 0));
        }
        await(() -> count(Counter.CLIENT_WAITS) > 0 && count(Counter.CALLS_RUNNING) == 0);
        assertThat(count(Counter.UNSENT_BYTES))
                .as("the mark, what had been started below it, and one call for each connection")
                .isLessThan((6 + 4 + 8) * (long) MIB);
        TcpPeer honest = peer(HONEST);
        honest.send(Rpc.call(1, EchoProgram.READ, MIB));
        Rpc.success(1, honest.receive());
        for (TcpPeer peer : hostile) {
            takeReplies(peer, 8);
        }
    }

    /** Our own calls to a peer that reads nothing are limited too. */
    @Test
    void backwardCalls_peerTakesNothing_areRefusedAboveTheMark() throws Exception {
        start(TcpOptions.builder().maxUnsentBytes(MIB, 64 * MIB));
        TcpPeer hostile = peer(HOSTILE);
        hostile.ping(0);
        RpcTransport transport;
        synchronized (program) {
            transport = program.transports.getFirst();
        }
        for (int xid = 0; count(Counter.BACKWARD_CALLS_REFUSED) == 0; xid++) {
            Xdr call = new Xdr(64 << 10);
            call.beginEncoding();
            call.xdrEncodeInt(xid);
            call.xdrEncodeOpaque(new byte[60 << 10], 60 << 10);
            call.endEncoding();
            transport.send(call, xid, new CompletionHandler<Integer, Integer>() {
                @Override
                public void completed(Integer lengthBytes, Integer sent) {
                    // The call has been sent.
                }

                @Override
                public void failed(Throwable why, Integer sent) {
                    // The call was refused, which is counted.
                }
            });
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(count(Counter.UNSENT_BYTES)).isLessThanOrEqualTo(MIB);
        peer(HONEST).ping(1);
    }

    @Test
    void repliesNotTaken_drain_doesNotWaitForThem() throws Exception {
        start(TcpOptions.builder().drainGrace(Duration.ofMillis(500)));
        TcpPeer hostile = peer(HOSTILE);
        for (int xid = 0; xid < 16; xid++) {
            hostile.send(Rpc.call(xid, EchoProgram.READ, MIB));
        }
        await(() -> count(Counter.REPLIES_SENT) > 4 && count(Counter.CALLS_RUNNING) == 0);
        assertThat(service.drain(Duration.ofSeconds(60))).isTrue();
        assertThat(count(Counter.REPLIES_TOO_SLOW)).isEqualTo(1);
    }

    private static void sendAside(TcpPeer peer, int calls) {
        Thread.ofVirtual().start(() -> {
            try {
                for (int xid = 0; xid < calls; xid++) {
                    peer.send(Rpc.call(xid, EchoProgram.READ, MIB));
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static void takeReplies(TcpPeer peer, int calls) throws IOException {
        for (int i = 0; i < calls; i++) {
            assertThat(peer.receive().remaining()).isGreaterThan(MIB);
        }
    }
}
