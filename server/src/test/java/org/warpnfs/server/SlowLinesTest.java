package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.log.SlowCalls;
import org.warpnfs.server.log.WatchedCalls;
import org.warpnfs.server.log.Written;

/** A server that logs every call as slow. Each transport reports once for each call that the reply has been sent. */
@Timeout(120)
class SlowLinesTest {
    private static final long PAUSE_NANOS = 1_000_000;

    private static String awaited(Written lines, String procedure) {
        while (true) {
            List<String> told = lines.messages().stream()
                    .filter(line -> line.startsWith("slow: " + procedure + " of"))
                    .toList();
            if (!told.isEmpty()) {
                assertThat(told).hasSize(1);
                return told.getFirst();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Test
    void reply_thatHasLeft_isToldOverEachTransport() throws Exception {
        SlowCalls slow = new SlowCalls(Duration.ofNanos(1), () -> 0);
        CallRecorder recorder = WatchedCalls.of(CallRecorder.NONE, List.of(slow::ended));
        try (Written lines = new Written();
                IwarpTransport iwarp = new IwarpTransport();
                WarpServer server = WarpServer.start(
                        InMemory.config(":/", 16 << 20, Duration.ofSeconds(90)), ServerLimits.DEFAULT, recorder)) {
            ByteBuffer mounted =
                    NfsCall.of(0xcafe, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
            assertThat(mounted.getInt()).isZero();
            byte[] root = NfsCall.opaque(mounted);
            assertThat(awaited(lines, "mount 3 MNT"))
                    .contains(
                            "over tcp took ",
                            " for other threads and memory, and its reply ",
                            " ms to be sent (0 more");
            try (RpcRdmaRequester client = RpcRdmaRequester.connect(
                            iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, c -> c)
                    .get(30, TimeUnit.SECONDS)) {
                NfsCall getattr = NfsCall.of(0xbeef, NfsCall.NFS, 3, 1, 0).opaque(root);
                assertThat(NfsCall.results(client.call(getattr.message(), ChunkOffer.NONE)
                                        .get(30, TimeUnit.SECONDS)
                                        .message())
                                .getInt())
                        .isZero();
            }
            assertThat(awaited(lines, "nfs 3 GETATTR"))
                    .contains("over rdma took ", ", and its reply ", " ms to be sent (0");
            assertThat(lines.text()).contains("[XID cafe]", "[XID beef]");
        }
    }
}
