package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.OpenSsl;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.message.XdrStream;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.ReplyHandler;
import org.warpnfs.rpcrdma.request.RequestException;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.tls.ServerKeys;
import org.warpnfs.testkit.TlsFiles;

/** A client of RPC-with-TLS against the server, and against false ones. */
@Timeout(60)
class TlsRequesterTest {
    private static final int LAST_FRAGMENT = 0x8000_0000;

    @TempDir
    private Path directory;

    /** A responder that answers the probe by these words, with the XID in the place of the first. */
    private InetSocketAddress answering(int... words) throws IOException {
        ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (listening;
                    Socket peer = listening.accept()) {
                DataInputStream in = new DataInputStream(peer.getInputStream());
                in.readInt();
                words[0] = in.readInt();
                ByteBuffer answer = ByteBuffer.allocate(4 + 4 * words.length).putInt(LAST_FRAGMENT | 32);
                for (int word : words) {
                    answer.putInt(word);
                }
                peer.getOutputStream().write(answer.array());
                in.readAllBytes();
            } catch (IOException e) {
                // The requester has ended the connection.
            }
        });
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    private static Requester connect(TcpConnector connector, InetSocketAddress server, TlsTrust trust)
            throws Exception {
        return connector
                .connect(server, new TcpRequesterOptions(2 << 20, 8, 0, trust), BackwardCalls.NONE)
                .get(30, TimeUnit.SECONDS);
    }

    private static ByteBuffer call(Requester requester, int xid, int procedure, int... words) throws Exception {
        CompletableFuture<ByteBuffer> reply = new CompletableFuture<>();
        requester.call(
                Rpc.call(xid, procedure, words),
                ChunkOffer.NONE,
                Requester.deadlineNanos(Duration.ofSeconds(30)),
                new ReplyHandler() {
                    @Override
                    public void replied(XdrStream message, List<ByteBuffer> written) {
                        byte[] bytes = new byte[message.remainingBytes()];
                        message.read(bytes, 0, bytes.length);
                        reply.complete(ByteBuffer.wrap(bytes));
                    }

                    @Override
                    public void failed(RequestException why) {
                        reply.completeExceptionally(why);
                    }
                });
        return reply.get(30, TimeUnit.SECONDS);
    }

    @Test
    void calls_insideTls_areAnsweredIfTheServerIsBelieved() throws Exception {
        EchoProgram program = new EchoProgram(new PayloadPool(64 << 20, 1 << 20));
        try (OperationThreads threads = new OperationThreads(2);
                TlsContext context = new TlsContext(ServerKeys.read(
                        TlsFiles.copy(directory, "server.crt"), TlsFiles.copy(directory, "server.key"), null));
                TcpConnector connector = new TcpConnector(1)) {
            try (TcpRpcService service = TcpRpcService.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Map.of(EchoProgram.PROGRAM, program),
                    threads,
                    TcpOptions.builder().eventLoopThreads(1).build(),
                    context,
                    transport -> {})) {
                InetSocketAddress server = service.localAddress();
                InetSocketAddress named = new InetSocketAddress(
                        InetAddress.getByAddress(
                                "server.lab", server.getAddress().getAddress()),
                        server.getPort());
                InetSocketAddress misnamed = new InetSocketAddress(
                        InetAddress.getByAddress(
                                "other.lab", server.getAddress().getAddress()),
                        server.getPort());
                TlsTrust ours = TlsTrust.of(TlsFiles.copy(directory, "authority.crt"));
                for (Requester requester : new Requester[] {
                    connect(connector, server, TlsTrust.anyServer()), connect(connector, named, ours)
                }) {
                    ByteBuffer read = Rpc.success(3, call(requester, 3, EchoProgram.READ, 1 << 20));
                    read.getInt();
                    byte[] got = new byte[read.getInt()];
                    read.get(got);
                    assertThat(got).isEqualTo(EchoProgram.pattern(1 << 20, 0));
                    requester.close();
                }
                assertThat(service.statistics().get(Counter.TLS_HANDSHAKES)).isEqualTo(2);
                TlsTrust others = TlsTrust.of(TlsFiles.copy(directory, "stranger-authority.crt"));
                assertThatThrownBy(() -> connect(connector, named, others)).hasMessageContaining("TLS: ");
                assertThatThrownBy(() -> connect(connector, misnamed, ours)).hasMessageContaining("TLS: ");
            }
        }
    }

    @Test
    void answers_thatAreNotThatOfTheProbe_endTheConnection() throws Exception {
        int start = 0x53544152;
        int tls = 0x54544c53;
        try (TcpConnector connector = new TcpConnector(1)) {
            for (int[] words : new int[][] {
                {0, 1, 1, 1, 1, 0, 0, 0},
                {0, 1, 0, 0, 8, start, tls + 1, 0},
                {0, 1, 0, 0, 8, start, tls, 1},
                {0, 1, 0, 1, 8, start, tls, 0},
                // something in clear behind it
                {0, 1, 0, 0, 8, start, tls, 0, 1},
            }) {
                InetSocketAddress server = answering(words);
                assertThatThrownBy(() -> connect(connector, server, TlsTrust.anyServer()))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(RequestException.class)
                        .hasMessageContaining("does not begin TLS");
            }
        }
    }

    /** The packages of this platform have OpenSSL, and servers use it where its key allows. */
    @Test
    @EnabledIfSystemProperty(named = "os.arch", matches = "amd64")
    void openSsl_onThisPlatform_isThere() throws Exception {
        assertThat(OpenSsl.unavailabilityCause()).isNull();
        ServerKeys keys =
                ServerKeys.read(TlsFiles.copy(directory, "server.crt"), TlsFiles.copy(directory, "server.key"), null);
        assertThat(TlsEngines.best(keys)).isEqualTo(TlsEngines.Provider.OPENSSL);
    }
}
