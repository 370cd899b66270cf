package org.warpnfs.server.http;

import com.google.common.net.InetAddresses;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves GET and HEAD of a few fixed paths over HTTP.
 *
 * <h2>Operation</h2>
 *
 * Each request has a virtual thread, and there are at most {@value #MAX_CONNECTIONS} connections: a slow peer occupies
 * only its own connection. Nothing that a peer sends is stored or changes anything.
 *
 * <h2>Errors</h2>
 *
 * A connection is closed if its request is not complete within {@value #REQUEST_SECONDS} s, or its answer is not read
 * within {@value #ANSWER_SECONDS} s. Connections beyond the limit are closed at once. An unknown path is answered with
 * 404, another method with 405, another host's name on the loopback with 421. An exception is answered with 500 and
 * logged.
 */
public final class HttpService implements AutoCloseable {
    /** The most connections; enough for probes, a scraper and a few people. */
    public static final int MAX_CONNECTIONS = 64;
    /** The time limit for the first line and all headers of a request. */
    public static final int REQUEST_SECONDS = 5;
    /** The time limit from the end of a request to the end of its answer. */
    public static final int ANSWER_SECONDS = 15;

    private static final int IDLE_SECONDS = 30;
    private static final int MAX_HEADER_BYTES = 8 << 10;
    private static final int MAX_HEADERS = 50;
    private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);

    static {
        // The library reads these once, before its first server is created.
        limit("jdk.httpserver.maxConnections", MAX_CONNECTIONS);
        limit("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
        limit("sun.net.httpserver.maxRspTime", ANSWER_SECONDS);
        limit("sun.net.httpserver.idleInterval", IDLE_SECONDS);
        limit("sun.net.httpserver.maxReqHeaders", MAX_HEADERS);
        limit("sun.net.httpserver.maxReqHeaderSize", MAX_HEADER_BYTES);
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("http-", 1).factory());
    private final Map<String, Function<String, Answer>> questions;

    private HttpService(HttpServer server, Map<String, Function<String, Answer>> questions) {
        this.server = server;
        this.questions = Map.copyOf(questions);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    private static void limit(String property, int value) {
        System.setProperty(property, Integer.toString(value));
    }

    /**
     * Starts the service.
     *
     * @param address where to listen; port 0 means any free port
     * @param questions the handlers by path; their argument is the query, empty if there is none
     * @throws IOException if it cannot listen on the address
     */
    public static HttpService start(InetSocketAddress address, Map<String, Function<String, Answer>> questions)
            throws IOException {
        HttpService service = new HttpService(HttpServer.create(address, MAX_CONNECTIONS), questions);
        service.server.start();
        return service;
    }

    /** Returns the address with the actual port. */
    public InetSocketAddress localAddress() {
        return server.getAddress();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            boolean head = method.equals("HEAD");
            Answer answer = head || method.equals("GET") ? answer(exchange) : Answer.plain(405, "GET and HEAD only");
            if (exchange.getRequestHeaders().containsKey("Transfer-Encoding")
                    || !exchange.getRequestHeaders()
                            .getOrDefault("Content-Length", List.of("0"))
                            .equals(List.of("0"))) {
                // Otherwise closing would wait for a body that may never arrive.
                answer = Answer.plain(400, "a question has no body");
                exchange.getResponseHeaders().set("Connection", "close");
            }
            if (isRebound(exchange)) {
                answer = Answer.plain(421, "ask by address, or as localhost: only this host is answered here");
            }
            send(exchange, answer, head);
        }
    }

    /**
     * Returns true if a browser on this host was directed here by a foreign name (DNS rebinding), so that a foreign
     * page could read the answer. On other addresses than the loopback any name is accepted.
     */
    private static boolean isRebound(HttpExchange exchange) {
        String host = exchange.getRequestHeaders().getFirst("Host");
        if (host == null || !exchange.getLocalAddress().getAddress().isLoopbackAddress()) {
            return false;
        }
        String name = host.replaceFirst(":\\d*$", "");
        return !name.equalsIgnoreCase("localhost") && !InetAddresses.isUriInetAddress(name);
    }

    private Answer answer(HttpExchange exchange) {
        Function<String, Answer> question =
                questions.get(exchange.getRequestURI().getPath());
        if (question == null) {
            return Answer.plain(
                    404,
                    "no such page; there are "
                            + String.join(
                                    " ", questions.keySet().stream().sorted().toList()));
        }
        String query = exchange.getRequestURI().getRawQuery();
        try {
            return question.apply(query == null ? "" : query);
        } catch (RuntimeException e) {
            LOG.error(
                    "{} failed because of a bug of the server",
                    exchange.getRequestURI().getPath(),
                    e);
            return Answer.plain(500, "failed because of a bug of the server");
        }
    }

    private static void send(HttpExchange exchange, Answer answer, boolean head) throws IOException {
        byte[] body = answer.bytes();
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", answer.contentType());
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
                        + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        if (head) {
            headers.set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(answer.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status(), body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Closes all connections at once. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
