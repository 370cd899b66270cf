package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.TcpRpcService;
import org.warpnfs.rpcrdma.oncrpc.OperationThreads;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.tls.ServerKeys;
import org.warpnfs.testkit.TlsFiles;

/** TLS on loopback, with a client of the JDK. */
@Timeout(120)
class TlsConnectionTest {
    private static final byte[] PROBE = HexFormat.of().parseHex(TlsPeer.PROBE);
    private static final int AUTH_BADCRED = 1;

    @TempDir
    private Path directory;

    private final PayloadPool pool = new PayloadPool(64 << 20, 1 << 20);
    private final EchoProgram program = new EchoProgram(pool);
    private final OperationThreads threads = new OperationThreads(2);
    private @Nullable TlsContext context;
    private TcpRpcService service;

    TlsEngines.Provider provider() {
        return TlsEngines.Provider.JDK;
    }

    private void start(@Nullable String server, boolean asksClients) throws IOException {
        start(server, asksClients, TlsContext.HANDSHAKE_LIMIT);
    }

    private void start(@Nullable String server, boolean asksClients, Duration handshakeLimit) throws IOException {
        context = server == null ? null : new TlsContext(keys(server, asksClients), handshakeLimit, provider());
        service = TcpRpcService.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(EchoProgram.PROGRAM, program),
                threads,
                TcpOptions.builder().eventLoopThreads(1).build(),
                context,
                transport -> {});
    }

    private ServerKeys keys(String server, boolean asksClients) throws IOException {
        return ServerKeys.read(
                TlsFiles.copy(directory, server + ".crt"),
                TlsFiles.copy(directory, server + ".key"),
                asksClients ? TlsFiles.copy(directory, "authority.crt") : null);
    }

    @AfterEach
    void everythingIsBack() throws Exception {
        ServedPeers.await(() -> count(Counter.CONNECTIONS_OPEN) == 0);
        service.close();
        threads.drain(Duration.ofSeconds(10));
        if (context != null) {
            context.close();
        }
        assertThat(pool.lentBytes()).isZero();
        for (Counter counter : Counter.values()) {
            if (counter.kind() == Counter.Kind.LEVEL) {
                assertThat(count(counter)).as("%s", counter).isZero();
            }
        }
        assertThat(count(Counter.DEFECTS)).isZero();
    }

    private long count(Counter counter) {
        return service.statistics().get(counter);
    }

    private SecuredPeer.Security lastSecurity() {
        synchronized (program) {
            RpcTransport last = program.transports.getLast();
            return ((SecuredPeer) last).security();
        }
    }

    private int calls() {
        synchronized (program) {
            return program.transports.size();
        }
    }

    @Test
    void probe_firstOnTheConnection_startsTls13AndCallsGoOverIt() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            SSLSocket secure = peer.shakeHands(TlsFiles.client(null));
            assertThat(secure.getSession().getProtocol()).isEqualTo("TLSv1.3");
            peer.ping(1);
            assertThat(lastSecurity()).isEqualTo(new SecuredPeer.Security(Protection.TLS, List.of()));
            byte[] data = EchoProgram.pattern(1 << 20, 5);
            peer.send(Rpc.write(2, data));
            ByteBuffer written = Rpc.success(2, peer.receive());
            assertThat(List.of(written.getInt(), written.getInt(), written.getInt()))
                    .containsExactly(7, data.length, EchoProgram.checksum(ByteBuffer.wrap(data)));
            peer.send(Rpc.call(3, EchoProgram.READ, 1 << 20));
            ByteBuffer read = Rpc.success(3, peer.receive());
            assertThat(read.getInt()).isEqualTo(0x11111111);
            byte[] got = new byte[read.getInt()];
            read.get(got);
            assertThat(got).isEqualTo(EchoProgram.pattern(1 << 20, 0));
            assertThat(count(Counter.TLS_CONNECTIONS_OPEN)).isEqualTo(1);
            assertThat(count(Counter.TLS_HANDSHAKES)).isEqualTo(1);
        }
    }

    /** A later handshake of TLS 1.3 is a KeyUpdate, which the server has to answer. The client never reads. */
    @Test
    void keyUpdates_withoutData_endTheConnection() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            SSLSocket secure = peer.shakeHands(TlsFiles.client(null));
            peer.ping(1);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            secure.startHandshake();
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        ServedPeers.await(() -> count(Counter.TLS_VIOLATIONS) == 1);
    }

    /** The data that a client sent before are no credit for records without data. */
    @Test
    void keyUpdates_behindManyData_endTheConnection() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            SSLSocket secure = peer.shakeHands(TlsFiles.client(null));
            for (int xid = 1; xid <= 16; xid++) {
                peer.send(Rpc.write(xid, EchoProgram.pattern(1 << 20, xid)));
                Rpc.success(xid, peer.receive());
            }
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            secure.startHandshake();
                            if (i % 32 == 0) {
                                // OpenSSL itself ends a connection after more of them in a row.
                                peer.send(Rpc.call(100 + i, EchoProgram.NULL));
                                peer.receive();
                            }
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        ServedPeers.await(() -> count(Counter.TLS_VIOLATIONS) == 1);
    }

    /** TLS adds about as many bytes to the smallest call as the call has itself. */
    @Test
    void manySmallCalls_areNoRecordsWithoutData() throws Exception {
        start("server", false);
        try (TlsPeer peer = TlsPeer.encrypted(service.localAddress(), TlsFiles.client(null))) {
            for (int xid = 1; xid <= 20_000; xid++) {
                peer.ping(xid);
            }
        }
        assertThat(count(Counter.TLS_VIOLATIONS)).isZero();
    }

    @Test
    void client_thatOffersSunrpc_getsIt() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            SSLSocket secure = (SSLSocket) TlsFiles.client(null)
                    .getSocketFactory()
                    .createSocket(peer.clear, "server.lab", peer.clear.getPort(), true);
            var parameters = secure.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2", "sunrpc"});
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            assertThat(secure.getApplicationProtocol()).isEqualTo("sunrpc");
        }
    }

    @Test
    void authTls_whereItIsNotDue_isABadCredential() throws Exception {
        start("server", false);
        byte[] otherProcedure = PROBE.clone();
        otherProcedure[27] = 1;
        byte[] withBody = PROBE.clone();
        withBody[35] = 4;
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(otherProcedure);
            requireBadCredential(peer.receive());
            // Not the first call any more.
            peer.sendBytes(PROBE);
            requireBadCredential(peer.receive());
        }
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(withBody);
            requireBadCredential(peer.receive());
        }
        try (TlsPeer peer = TlsPeer.encrypted(service.localAddress(), TlsFiles.client(null))) {
            peer.sendBytes(PROBE);
            requireBadCredential(peer.receive());
            peer.ping(1);
        }
    }

    @Test
    void probe_whereTlsIsNotConfigured_isABadCredential() throws Exception {
        start(null, false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            requireBadCredential(peer.receive());
        }
    }

    private static void requireBadCredential(ByteBuffer reply) {
        reply.getInt();
        assertThat(List.of(reply.getInt(), reply.getInt(), reply.getInt(), reply.getInt()))
                .as("REPLY, MSG_DENIED, AUTH_ERROR")
                .containsExactly(1, 1, 1, AUTH_BADCRED);
    }

    @Test
    void callInClear_behindTheProbe_isNeverExecuted() throws Exception {
        start("server", false);
        ByteBuffer call = Rpc.call(1, EchoProgram.NULL).flatten();
        byte[] both = ByteBuffer.allocate(PROBE.length + 4 + call.remaining())
                .put(PROBE)
                .putInt(TcpPeer.LAST_FRAGMENT | call.remaining())
                .put(call)
                .array();
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(both);
            assertThat(peer.awaitClosed()).isEmpty();
        }
        assertThat(calls()).isZero();
        ServedPeers.await(() -> count(Counter.TLS_VIOLATIONS) == 1);
    }

    @Test
    void bytesInClear_afterStartTls_endTheConnection() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            peer.send(Rpc.call(1, EchoProgram.NULL));
            peer.awaitClosed();
        }
        assertThat(calls()).isZero();
        ServedPeers.await(() -> count(Counter.TLS_HANDSHAKES_FAILED) == 1);
    }

    @Test
    void bytesInClear_afterTheHandshake_endTheConnection() throws Exception {
        start("server", false);
        try (TlsPeer peer = TlsPeer.encrypted(service.localAddress(), TlsFiles.client(null))) {
            peer.ping(1);
            ByteBuffer call = Rpc.call(2, EchoProgram.NULL).flatten();
            peer.clear
                    .getOutputStream()
                    .write(ByteBuffer.allocate(4 + call.remaining())
                            .putInt(TcpPeer.LAST_FRAGMENT | call.remaining())
                            .put(call)
                            .array());
            peer.awaitClosed();
        }
        assertThat(calls()).isEqualTo(1);
        ServedPeers.await(() -> count(Counter.TLS_VIOLATIONS) == 1);
    }

    @Test
    void client_thatOffersOnlyTls12_isRefused() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            SSLSocket secure = (SSLSocket) TlsFiles.client(null)
                    .getSocketFactory()
                    .createSocket(peer.clear, "server.lab", peer.clear.getPort(), true);
            secure.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThatThrownBy(secure::startHandshake).isInstanceOf(IOException.class);
        }
        ServedPeers.await(() -> count(Counter.TLS_HANDSHAKES_FAILED) == 1);
        assertThat(calls()).isZero();
    }

    @Test
    void clientCertificate_ofTheAuthority_namesTheClient() throws Exception {
        start("server", true);
        var client = TlsFiles.client("client");
        for (int connection = 0; connection < 3; connection++) {
            // The second comes back with a ticket of the first.
            try (TlsPeer peer = TlsPeer.encrypted(service.localAddress(), client)) {
                peer.ping(1);
                assertThat(lastSecurity())
                        .isEqualTo(
                                new SecuredPeer.Security(Protection.MUTUAL_TLS, List.of("client.lab", "client one")));
            }
        }
        assertThat(count(Counter.TLS_HANDSHAKES_MUTUAL)).isEqualTo(3);
    }

    @Test
    void noClientCertificate_isTlsAlone() throws Exception {
        start("server", true);
        try (TlsPeer peer = TlsPeer.encrypted(service.localAddress(), TlsFiles.client(null))) {
            peer.ping(1);
            assertThat(lastSecurity().protection()).isEqualTo(Protection.TLS);
        }
    }

    @Test
    void clientCertificate_expiredOrOfAnotherAuthority_isRefused() throws Exception {
        start("server", true);
        for (String name : List.of("expired-client", "stranger", "server")) {
            assertThatThrownBy(() -> {
                        try (TlsPeer peer = TlsPeer.encrypted(service.localAddress(), TlsFiles.client(name))) {
                            peer.ping(1);
                        }
                    })
                    .as(name)
                    .isInstanceOf(IOException.class);
        }
        ServedPeers.await(() -> count(Counter.TLS_HANDSHAKES_FAILED) == 3);
        assertThat(calls()).isZero();
    }

    @Test
    void keys_replaced_areShownToNewConnectionsAndOldOnesGoOn() throws Exception {
        start("server", false);
        var client = TlsFiles.client(null);
        try (TlsPeer old = TlsPeer.encrypted(service.localAddress(), client)) {
            old.ping(1);
            context.replace(keys("server2", false));
            old.ping(2);
            try (TlsPeer peer = new TlsPeer(service.localAddress())) {
                peer.sendBytes(PROBE);
                peer.requireStartTls();
                SSLSocket secure = peer.shakeHands(client);
                assertThat(secure.getSession().getPeerCertificates()[0]).isEqualTo(TlsFiles.certificate("server2"));
                peer.ping(3);
            }
            context.replace(keys("expired-server", false));
            assertThatThrownBy(() -> TlsPeer.encrypted(service.localAddress(), TlsFiles.client(null)))
                    .isInstanceOf(SSLException.class);
            old.ping(4);
        }
    }

    @Test
    void peer_thatStallsInTheHandshake_isClosedAtItsLimit() throws Exception {
        start("server", false, Duration.ofMillis(200));
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            // The first bytes of a handshake record.
            peer.clear.getOutputStream().write(new byte[] {22, 3, 1, 1, 0});
            peer.awaitClosed();
        }
        ServedPeers.await(() -> count(Counter.TLS_HANDSHAKES_FAILED) == 1);
    }

    @Test
    void closeNotify_closesTheConnection() throws Exception {
        start("server", false);
        try (TlsPeer peer = new TlsPeer(service.localAddress())) {
            peer.sendBytes(PROBE);
            peer.requireStartTls();
            SSLSocket secure = peer.shakeHands(TlsFiles.client(null));
            peer.ping(1);
            secure.shutdownOutput();
            ServedPeers.await(() -> count(Counter.CONNECTIONS_OPEN) == 0);
        }
    }
}
