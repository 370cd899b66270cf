package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.tcp.ServedPeers.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.rpcrdma.message.InboundCall;
import org.warpnfs.rpcrdma.message.InboundHandler;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.stats.TransportStatistics;
import org.warpnfs.rpcrdma.tls.ServerKeys;
import org.warpnfs.testkit.TlsFiles;

/** A probe for TLS when no engine can be made, as when there is no memory for one. */
@Timeout(60)
@EnabledIf("org.warpnfs.rpcrdma.tcp.TlsEngines#hasOpenSsl")
class TlsWithoutEngineTest {
    private static final InboundHandler NO_CALLS = new InboundHandler() {
        @Override
        public void call(InboundCall call) {
            throw new AssertionError("the probe is no call");
        }

        @Override
        public void backwardReply(XdrStream reply) {
            throw new AssertionError("no call was made");
        }

        @Override
        public void closed() {
            // There is nothing to end.
        }
    };

    @TempDir
    private Path directory;

    @Test
    void probes_noEngineCanBeMade_endTheirConnectionsAndTheirRecordsAreGivenBack() throws Exception {
        TransportStatistics statistics = new TransportStatistics();
        ServerKeys keys =
                ServerKeys.read(TlsFiles.copy(directory, "server.crt"), TlsFiles.copy(directory, "server.key"), null);
        TlsContext context = new TlsContext(keys, TlsContext.HANDSHAKE_LIMIT, TlsEngines.Provider.OPENSSL);
        // Makes no engines from now on.
        context.close();
        try (TcpListener listener = TcpListener.bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TcpOptions.DEFAULT,
                context,
                statistics,
                _ -> NO_CALLS)) {
            for (int i = 1; i <= 3; i++) {
                try (TcpPeer peer = new TcpPeer(1, listener.localAddress())) {
                    peer.sendBytes(ByteBuffer.wrap(HexFormat.of().parseHex(TlsPeer.PROBE)));
                    peer.awaitClosed();
                }
                assertThat(statistics.get(Counter.DEFECTS)).isEqualTo(i);
            }
            await(() -> statistics.get(Counter.CONNECTIONS_OPEN) == 0);
            assertThat(statistics.get(Counter.RECORD_MEMORY_BYTES)).isZero();
            assertThat(statistics.get(Counter.CALLS_RUNNING)).isZero();
        }
    }
}
