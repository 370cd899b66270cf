package org.warpnfs.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServiceTest {
    private HttpService service;

    @BeforeEach
    void start() throws IOException {
        service = HttpService.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(
                        "/good", query -> Answer.line(true, "asked " + query),
                        "/bad", query -> Answer.line(false, "not well"),
                        "/broken",
                                query -> {
                                    throw new IllegalStateException("a defect");
                                }));
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private Socket connect() throws IOException {
        InetSocketAddress address = service.localAddress();
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private static String statusLine(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = socket.getInputStream().read();
                c > 0 && c != '\r';
                c = socket.getInputStream().read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    @Test
    void question_isAnswered() throws IOException {
        HttpGet got = HttpGet.of(service.localAddress(), "/good?so");
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.text()).isEqualTo("asked so\n");
        assertThat(got.contentType()).startsWith("text/plain");
        assertThat(HttpGet.of(service.localAddress(), "/good", "HEAD").text()).isEmpty();
    }

    @Test
    void question_badNewsOrNoPageOrADefect_saysSo() throws IOException {
        assertThat(HttpGet.of(service.localAddress(), "/bad"))
                .isEqualTo(new HttpGet(503, "text/plain; charset=utf-8", "not well\n"));
        assertThat(HttpGet.of(service.localAddress(), "/nowhere").status()).isEqualTo(404);
        assertThat(HttpGet.of(service.localAddress(), "/broken").status()).isEqualTo(500);
        assertThat(HttpGet.of(service.localAddress(), "/good").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS"})
    void order_isNotTaken(String method) throws IOException {
        assertThat(HttpGet.of(service.localAddress(), "/good", method).status()).isEqualTo(405);
    }

    @Test
    void question_byTheNameOfAnotherHost_isNotAnsweredOnTheLoopback() throws IOException {
        for (String host :
                List.of("evil.example", "evil.example:9049", "127.0.0.1.evil.example", "localhost.evil.example")) {
            try (Socket socket = connect()) {
                send(socket, "GET /good HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                assertThat(statusLine(socket)).as(host).contains(" 421 ");
            }
        }
        for (String host : List.of("localhost", "LOCALHOST:9049", "127.0.0.1:9049", "[::1]:9049", "192.0.2.1")) {
            try (Socket socket = connect()) {
                send(socket, "GET /good HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                assertThat(statusLine(socket)).as(host).contains(" 200 ");
            }
        }
    }

    @Test
    void body_isNotReadAndEndsTheConnection() throws IOException {
        try (Socket socket = connect()) {
            send(socket, "GET /good HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n");
            assertThat(statusLine(socket)).contains("400");
            // The connection ends although the client never sent the body.
            socket.getInputStream().readAllBytes();
        }
    }

    @Test
    void headers_beyondTheirBound_endTheConnection() throws IOException {
        try (Socket socket = connect()) {
            send(socket, "GET /good HTTP/1.1\r\nHost: localhost\r\n");
            try {
                for (int i = 0; i < 64; i++) {
                    send(socket, "X-" + i + ": " + "x".repeat(1000) + "\r\n");
                }
                send(socket, "\r\n");
                assertThat(statusLine(socket)).doesNotContain("200");
            } catch (IOException e) {
                assertThat(e).isNotInstanceOf(java.net.SocketTimeoutException.class);
            }
        }
        assertThat(HttpGet.of(service.localAddress(), "/good").status()).isEqualTo(200);
    }

    /** All allowed connections but two send requests that never end. */
    @Test
    void slowPeers_holdTheirConnections_othersAreAnsweredAndTheyAreCutOff() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < HttpService.MAX_CONNECTIONS - 2; i++) {
                Socket socket = connect();
                slow.add(socket);
                send(socket, "GET /good HTTP/1.1\r\nHost:");
            }
            assertThat(HttpGet.of(service.localAddress(), "/good").status()).isEqualTo(200);
            for (Socket socket : slow) {
                assertThat(ended(socket)).isTrue();
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static boolean ended(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void connections_beyondTheirNumber_areClosedAtOnce() throws IOException {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < HttpService.MAX_CONNECTIONS; i++) {
                Socket socket = connect();
                open.add(socket);
                send(socket, "GET /good HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(statusLine(socket)).contains("200");
            }
            try (Socket socket = connect()) {
                assertThat(ended(socket)).isTrue();
            }
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }
}
