package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.RpcRequesters;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.request.RetryPolicy;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.watch.Watch;

/** Exports that may be reached by one transport, and servers that serve one. */
@Timeout(120)
class TransportsTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int USER = 4711;
    private static final int GETATTR3 = 1;
    private static final int COMPOUND = 1;
    private static final int OK = 0;
    private static final int PERM = 1;
    private static final int ACCES = 13;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(WarpServer.class);

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
    }

    private List<String> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("secure does not hold over RDMA"))
                .toList();
    }

    private static List<ExportSpec> specs(String... exports) throws ConfigException {
        List<ExportSpec> specs = new ArrayList<>();
        for (String export : exports) {
            specs.add(ExportSpec.parse(export));
        }
        return specs;
    }

    private static WarpServer start(
            @Nullable InetSocketAddress rdma, @Nullable InetSocketAddress tcp, String... exports) throws Exception {
        return WarpServer.start(new ServerConfig(
                specs(exports),
                Backend.MEMORY,
                16 << 20,
                rdma,
                tcp,
                null,
                RdmaChoices.DEFAULT,
                Duration.ofSeconds(5),
                2,
                16 << 20,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT));
    }

    private static byte[] mounted(WarpServer server, String path) throws IOException {
        try (MountClient client = new MountClient(server.tcpAddress())) {
            assertThat(client.mount(path)).isZero();
            return client.lastHandle();
        }
    }

    private static NfsCall getattr(byte[] file) {
        return NfsCall.of(1, NfsCall.NFS, 3, GETATTR3, USER).opaque(file);
    }

    /** PUTROOTFH, LOOKUP, GETATTR of NFSv4.0. */
    private static NfsCall lookUp(String name) {
        return NfsCall.of(2, NfsCall.NFS, 4, COMPOUND, USER)
                .string("")
                .word(0)
                .word(3)
                .word(24)
                .word(15)
                .string(name)
                .word(9)
                .word(1)
                .word(2);
    }

    private static int overTcp(WarpServer server, NfsCall call) throws IOException {
        return call.overTcp(server.tcpAddress()).getInt();
    }

    private static int overRdma(WarpServer server, NfsCall call) throws Exception {
        try (IwarpTransport iwarp = new IwarpTransport(
                        IwarpConfig.builder().eventLoopThreads(1).build());
                RpcRequesters requesters = new RpcRequesters(1);
                Requester requester = requesters.overRdma(
                        iwarp.connector(),
                        server.rdmaAddress(),
                        RequesterOptions.DEFAULT,
                        RetryPolicy.NONE,
                        BackwardCalls.NONE)) {
            ByteBuffer reply = requester
                    .call(call.message(), ChunkOffer.NONE)
                    .get(30, TimeUnit.SECONDS)
                    .message();
            return NfsCall.results(reply).getInt();
        }
    }

    @Test
    void exportForOneTransport_isRefusedByTheOther_untilAReloadSaysOtherwise() throws Exception {
        try (WarpServer server = start(ANY, ANY, ":/both", ":/tcp,transport=tcp", ":/rdma,transport=rdma")) {
            byte[] tcp = mounted(server, "/tcp");
            byte[] rdma = mounted(server, "/rdma");
            assertThat(overTcp(server, getattr(tcp))).isEqualTo(OK);
            assertThat(overRdma(server, getattr(tcp))).isEqualTo(ACCES);
            assertThat(overTcp(server, getattr(rdma))).isEqualTo(ACCES);
            assertThat(overRdma(server, getattr(rdma))).isEqualTo(OK);
            assertThat(overTcp(server, lookUp("tcp"))).isEqualTo(OK);
            assertThat(overRdma(server, lookUp("tcp"))).isEqualTo(ACCES);
            assertThat(overTcp(server, lookUp("rdma"))).isEqualTo(ACCES);
            assertThat(overRdma(server, lookUp("rdma"))).isEqualTo(OK);
            assertThat(overRdma(server, lookUp("both"))).isEqualTo(OK);

            server.reload(specs(":/both", ":/tcp", ":/rdma,transport=tcp"));
            assertThat(overRdma(server, getattr(tcp))).isEqualTo(OK);
            assertThat(overTcp(server, getattr(rdma))).isEqualTo(OK);
            assertThat(overRdma(server, getattr(rdma))).isEqualTo(ACCES);
        }
    }

    /** The port of an RDMA connection proves nothing: a program of any user can open one. */
    @Test
    void secureExport_overRdmaFromAnyPort_isServedAndSaid_unlessItIsForTcpAlone() throws Exception {
        String secure = ":/x,secure";
        try (WarpServer server = start(ANY, ANY, secure, ":/y")) {
            assertThat(overTcp(server, lookUp("x"))).isEqualTo(PERM);
            assertThat(overRdma(server, lookUp("x"))).isEqualTo(OK);
            assertThat(warnings()).singleElement().asString().contains(" in /x.");

            server.reload(specs(secure + ",transport=tcp", ":/y"));
            assertThat(overRdma(server, lookUp("x"))).isEqualTo(ACCES);
            assertThat(overTcp(server, lookUp("x"))).isEqualTo(PERM);
            assertThat(warnings()).as("the reload has nothing to say").hasSize(1);

            server.reload(specs(secure, ":/y"));
            assertThat(warnings()).hasSize(2);
        }
    }

    /** What asks for neither a privileged port nor rights: nothing of it tells or changes what is in the export. */
    @Test
    void secureExport_callsThatNameNoFileOfIt_areServedFromAnyPort() throws Exception {
        try (WarpServer server = start(ANY, ANY, ":/x,secure")) {
            InetSocketAddress tcp = server.tcpAddress();
            assertThat(NfsCall.of(1, NfsCall.NFS, 3, 0, USER).overTcp(tcp).hasRemaining())
                    .as("the result of NULL")
                    .isFalse();
            NfsCall root = NfsCall.of(2, NfsCall.NFS, 4, COMPOUND, USER)
                    .string("")
                    .word(0)
                    .word(2)
                    .word(24)
                    .word(9)
                    .word(1)
                    .word(2);
            assertThat(overTcp(server, root)).isEqualTo(OK);
            NfsCall setClientid = NfsCall.of(3, NfsCall.NFS, 4, COMPOUND, USER)
                    .string("")
                    .word(0)
                    .word(1)
                    .word(35)
                    .hyper(1)
                    .string("client")
                    .word(0x4000_0000)
                    .string("tcp")
                    .string("0.0.0.0.0.0")
                    .word(1);
            assertThat(overTcp(server, setClientid)).isEqualTo(OK);
            for (int procedure : new int[] {0, 2, 5}) {
                var _ = NfsCall.of(4, NfsCall.MOUNT, 3, procedure, USER).overTcp(tcp);
            }
            var _ = NfsCall.of(5, NfsCall.MOUNT, 3, 3, USER).string("/x").overTcp(tcp);
            var _ = NfsCall.of(6, NfsCall.MOUNT, 3, 4, USER).overTcp(tcp);
            assertThat(overTcp(server, NfsCall.of(7, NfsCall.MOUNT, 3, 1, USER).string("/x")))
                    .as("MNT")
                    .isEqualTo(PERM);
        }
    }

    @Test
    void rdmaOff_servesTcpAlone() throws Exception {
        try (WarpServer server = start(null, ANY, ":/x,secure")) {
            assertThat(server.rdmaAddress()).isNull();
            assertThat(warnings()).isEmpty();
            assertThat(overTcp(server, lookUp("x"))).isEqualTo(PERM);
            assertThat(server.describe())
                    .contains("rdma    off")
                    .filteredOn(line -> line.startsWith("mount"))
                    .singleElement()
                    .asString()
                    .contains("proto=tcp,port=" + server.tcpAddress().getPort());
            assertThat(probed(server)).contains("answered over TCP").doesNotContain("RDMA");
            assertThatThrownBy(() -> server.reload(specs(":/x,transport=rdma")))
                    .hasMessage("export /x: transport=rdma, which is off (--rdma-port)");
        }
        assertThatThrownBy(() -> start(null, ANY, ":/x,transport=rdma"))
                .hasMessage("export /x: transport=rdma, which is off (--rdma-port)");
    }

    @Test
    void tcpOff_servesRdmaAlone() throws Exception {
        try (WarpServer server = start(ANY, null, ":/x")) {
            assertThat(server.tcpAddress()).isNull();
            assertThat(overRdma(server, lookUp("x"))).isEqualTo(OK);
            assertThat(server.describe())
                    .contains("tcp     off")
                    .filteredOn(line -> line.startsWith("mount"))
                    .singleElement()
                    .asString()
                    .contains("vers=4.2,proto=rdma");
            assertThat(probed(server)).contains("answered over RDMA").doesNotContain("TCP");
            assertThatThrownBy(() -> server.overUdp(true, false)).hasMessageContaining("--tcp-port");
            server.drain();
        }
        assertThatThrownBy(() -> start(ANY, null, ":/x,transport=tcp"))
                .hasMessage("export /x: transport=tcp, which is off (--tcp-port)");
    }

    /** The answer of a deep probe. */
    private static String probed(WarpServer server) throws Exception {
        try (Watch watch = Watch.start("test", ANY)) {
            watch.serves(server);
            InetSocketAddress http = watch.address();
            URI ready = URI.create("http://127.0.0.1:" + http.getPort() + "/readyz?deep");
            try (HttpClient client = HttpClient.newHttpClient()) {
                HttpResponse<String> answer =
                        client.send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                return answer.body();
            }
        }
    }

    @Test
    void neither_isNoConfiguration() {
        assertThatThrownBy(() -> start(null, null, ":/x")).hasMessageContaining("one of them must be served");
    }
}
