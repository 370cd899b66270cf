package org.warpnfs.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.config.ConfigException;

/** The admin socket: who may connect to it, and that no connection can harm others. */
@Timeout(300)
class AdminServerTest {
    private static final AdminRoutes ROUTES = new AdminRoutes().get("/x", request -> Map.of("x", 1));

    @TempDir
    Path directory;

    private Path socket() {
        return directory.resolve("admin.sock");
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket()));
    }

    private static void say(SocketChannel channel, String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Reads until the server closes the connection. */
    private static String hear(SocketChannel channel) throws IOException {
        StringBuilder heard = new StringBuilder();
        ByteBuffer part = ByteBuffer.allocate(4096);
        try {
            while (channel.read(part.clear()) >= 0) {
                heard.append(StandardCharsets.US_ASCII.decode(part.flip()));
            }
        } catch (IOException e) {
            // The server closed the connection with unread data.
        }
        return heard.toString();
    }

    @Test
    void start_socketIsForItsUserAlone_andGoesWithTheServer() throws Exception {
        try (AdminServer server = AdminServer.start(socket(), ROUTES)) {
            assertThat(server.path()).isEqualTo(socket());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
                    .isEqualTo("rw-------");
            assertThat(new AdminClient(socket()).get("/x").path("x").asInt()).isEqualTo(1);
        }
        assertThat(socket()).doesNotExist();
    }

    @Test
    void start_socketOfOneThatIsGone_isReplaced() throws Exception {
        ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        dead.bind(UnixDomainSocketAddress.of(socket()));
        dead.close();
        assertThat(socket()).exists();
        try (AdminServer _ = AdminServer.start(socket(), ROUTES)) {
            assertThat(new AdminClient(socket()).get("/x").path("x").asInt()).isEqualTo(1);
        }
    }

    @Test
    void start_socketOfOneThatLives_isRefused() throws Exception {
        try (AdminServer _ = AdminServer.start(socket(), ROUTES)) {
            assertThatThrownBy(() -> AdminServer.start(socket(), ROUTES))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("another server answers there");
            assertThat(new AdminClient(socket()).get("/x").path("x").asInt())
                    .as("which still does")
                    .isEqualTo(1);
        }
    }

    @Test
    void start_fileThatIsNoSocket_isKept() throws Exception {
        Files.writeString(socket(), "mine");
        assertThatThrownBy(() -> AdminServer.start(socket(), ROUTES))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not a socket");
        assertThat(socket()).hasContent("mine");
    }

    @Test
    void start_directoryThatOthersMayWrite_isRefused() throws Exception {
        for (String permissions : List.of("rwxrwx---", "rwxr-xrwx")) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
            assertThatThrownBy(() -> AdminServer.start(socket(), ROUTES))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(directory + " may be written by others");
        }
    }

    @Test
    void start_placeThatCannotBe_isRefused() {
        assertThatThrownBy(() -> AdminServer.start(directory.resolve("missing/admin.sock"), ROUTES))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is not a directory");
        assertThatThrownBy(() -> AdminServer.start(Path.of("/"), ROUTES))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not fit for a socket");
        assertThatThrownBy(() -> AdminServer.start(directory.resolve("x".repeat(108)), ROUTES))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("at most 103 bytes");
    }

    @Test
    void start_pipeOrDevice_isKept() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", socket().toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> AdminServer.start(socket(), ROUTES))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not a socket");
        assertThat(socket()).exists();
    }

    @Test
    void start_directoryOfAnotherUser_isRefused() throws Exception {
        Assumptions.assumeTrue(ProcessUser.effectiveUid() == 0, "only root gives directories away");
        Files.setAttribute(directory, "unix:uid", 64_999);
        assertThatThrownBy(() -> AdminServer.start(socket(), ROUTES))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(directory + " belongs to user 64999");
    }

    @Test
    void close_anotherSocketIsThere_isKept() throws Exception {
        AdminServer first = AdminServer.start(socket(), ROUTES);
        Files.delete(socket());
        try (AdminServer _ = AdminServer.start(socket(), ROUTES)) {
            first.close();
            assertThat(new AdminClient(socket()).get("/x").path("x").asInt()).isEqualTo(1);
        }
    }

    @Test
    void privateDirectory_isMadeAndMadePrivateAgain_orRefused() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path apart = directory.resolve("admin");
        for (int starts = 0; starts < 2; starts++) {
            PrivateDirectory.make(apart);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(apart)))
                    .isEqualTo("rwx------");
            Files.setPosixFilePermissions(apart, PosixFilePermissions.fromString("rwxrwx---"));
        }
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), elsewhere);
        assertThatThrownBy(() -> PrivateDirectory.make(link))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("not a directory");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere)))
                .as("what a link names is not touched")
                .isEqualTo("rwxr-xr-x");
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> PrivateDirectory.make(file)).isInstanceOf(ConfigException.class);
    }

    @Test
    void privateDirectory_ofAnotherUser_isRefused() throws Exception {
        Assumptions.assumeTrue(ProcessUser.effectiveUid() == 0, "only root gives directories away");
        Path apart = Files.createDirectory(directory.resolve("admin"));
        Files.setAttribute(apart, "unix:uid", 64_999);
        assertThatThrownBy(() -> PrivateDirectory.make(apart))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("belongs to user 64999");
    }

    @Test
    void request_thatEndsInAnError_isAnsweredAndHoldsNoConnection() throws Exception {
        AdminRoutes routes = new AdminRoutes().get("/x", _ -> {
            throw new StackOverflowError("as when memory runs out");
        });
        try (AdminServer _ = AdminServer.start(socket(), routes);
                SocketChannel peer = connect()) {
            say(peer, "GET /x HTTP/1.1\r\n\r\n");
            assertThat(hear(peer)).startsWith("HTTP/1.1 500");
        }
    }

    @Test
    void peerCheck_admitsItsUserAndRootAlone() throws Exception {
        var users = FileSystems.getDefault().getUserPrincipalLookupService();
        PeerCheck check = new PeerCheck();
        assertThat(check.mayEnter(users.lookupPrincipalByName(Long.toString(ProcessUser.effectiveUid()))))
                .isTrue();
        assertThat(check.mayEnter(users.lookupPrincipalByName("0"))).isTrue();
        assertThat(check.mayEnter(users.lookupPrincipalByName("64999"))).isFalse();
    }

    @Test
    void client_whereNobodyAnswers_saysWhatToDo() {
        assertThatThrownBy(() -> new AdminClient(socket()).get("/x"))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("no server answers at " + socket())
                .hasMessageContaining("--admin PATH or WARPNFS_ADMIN");
    }

    @Test
    void request_thatCannotBeDone_isAnsweredWithAReason() throws Exception {
        AdminRoutes routes = new AdminRoutes()
                .get("/x", request -> {
                    request.requireOnly(java.util.Set.of("known"));
                    return Map.of();
                })
                .get("/bug", _ -> {
                    throw new IllegalStateException("a bug");
                });
        try (AdminServer _ = AdminServer.start(socket(), routes)) {
            AdminClient client = new AdminClient(socket());
            assertThat(client.exchange(HttpMethod.GET, "/y", null).status()).isEqualTo(404);
            assertThat(client.exchange(HttpMethod.POST, "/x", Map.of()).status())
                    .isEqualTo(405);
            assertThat(client.exchange(HttpMethod.GET, "/x?other=1", null).body())
                    .isEqualTo("{\"error\":\"unknown parameter; the known ones are known\"}");
            AdminClient.Answer failed = client.exchange(HttpMethod.GET, "/bug", null);
            assertThat(failed.status()).isEqualTo(500);
            assertThat(failed.body()).doesNotContain("IllegalState");
        }
    }

    @Test
    void request_thatIsTooLargeOrNoneAtAll_isRefused() throws Exception {
        try (AdminServer _ = AdminServer.start(socket(), ROUTES)) {
            for (Map.Entry<String, String> each : Map.of(
                            "nonsense\r\n\r\n",
                            "400",
                            "GET /" + "x".repeat(AdminServer.MAX_LINE_BYTES) + " HTTP/1.1\r\n\r\n",
                            "400",
                            "GET /x HTTP/1.1\r\na: " + "x".repeat(AdminServer.MAX_HEADER_BYTES) + "\r\n\r\n",
                            "400",
                            "POST /x HTTP/1.1\r\nConnection: close\r\nContent-Length: "
                                    + (AdminServer.MAX_BODY_BYTES + 1) + "\r\n\r\n",
                            "413",
                            "GET /x HTTP/1.1\r\nContent-Length: 4\r\n\r\n[1]]",
                            "400")
                    .entrySet()) {
                try (SocketChannel peer = connect()) {
                    say(peer, each.getKey());
                    assertThat(hear(peer)).startsWith("HTTP/1.1 " + each.getValue());
                }
            }
        }
    }

    @Test
    void request_thatSaysTwoThings_isRefused() throws Exception {
        AdminRoutes routes = new AdminRoutes().post("/x", request -> Map.of("client", request.requiredText("client")));
        try (AdminServer _ = AdminServer.start(socket(), routes)) {
            for (String body : List.of(
                    "{\"client\":\"1\",\"client\":\"2\"}",
                    "{\"client\":\"1\"} {}",
                    "{\"client\":\"1\"}}",
                    "[]",
                    "null")) {
                try (SocketChannel peer = connect()) {
                    say(peer, "POST /x HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                    assertThat(hear(peer)).as(body).startsWith("HTTP/1.1 400");
                }
            }
            try (SocketChannel peer = connect()) {
                say(peer, "POST /x?a=1&a=2 HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
                assertThat(hear(peer)).startsWith("HTTP/1.1 400").contains("occurs twice");
            }
        }
    }

    @Test
    void connections_asManyAsThereMayBe_cutOffTheNextAndHarmNoneBefore() throws Exception {
        try (AdminServer _ = AdminServer.start(socket(), ROUTES)) {
            List<SocketChannel> slow = new ArrayList<>();
            try {
                for (int i = 0; i < AdminServer.MAX_CONNECTIONS; i++) {
                    SocketChannel peer = connect();
                    say(peer, "GET /x HT");
                    slow.add(peer);
                }
                try (SocketChannel beyond = connect()) {
                    assertThat(hear(beyond)).isEmpty();
                }
                for (SocketChannel peer : slow) {
                    say(peer, "TP/1.1\r\n\r\n");
                    assertThat(hear(peer)).startsWith("HTTP/1.1 200").endsWith("{\"x\":1}");
                }
            } finally {
                for (SocketChannel peer : slow) {
                    peer.close();
                }
            }
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void request_thatNeverEnds_isCutOff() throws Exception {
        try (AdminServer _ = AdminServer.start(socket(), ROUTES);
                SocketChannel silent = connect();
                SocketChannel half = connect()) {
            say(half, "GET /x HT");
            assertThat(hear(silent)).isEmpty();
            assertThat(hear(half)).isEmpty();
        }
    }

    @Test
    void request_thatTakesLong_holdsNoOther() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AdminRoutes routes = new AdminRoutes().get("/x", _ -> Map.of("x", 1)).get("/long", _ -> {
            begun.countDown();
            awaitQuietly(go);
            return Map.of("x", 2);
        });
        try (AdminServer _ = AdminServer.start(socket(), routes);
                SocketChannel peer = connect()) {
            say(peer, "GET /long HTTP/1.1\r\n\r\n");
            begun.await();
            assertThat(new AdminClient(socket()).get("/x").path("x").asInt()).isEqualTo(1);
            go.countDown();
            assertThat(hear(peer)).endsWith("{\"x\":2}");
        }
    }
}
