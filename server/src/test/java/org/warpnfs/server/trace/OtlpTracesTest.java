package org.warpnfs.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.stats.CallOrigin;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;
import org.warpnfs.server.http.HttpService;
import org.warpnfs.server.log.WatchedCalls;

/** Traces of calls, sent to an OTLP receiver that runs in the test. */
class OtlpTracesTest {
    private static final OperationMeter COMPOUND = new OperationMeter.Off(Metered.call("nfs", "4.1", "COMPOUND"));
    private static final OperationMeter SEQUENCE = new OperationMeter.Off(Metered.operation("4.1", "SEQUENCE"));
    private static final OperationMeter READ = new OperationMeter.Off(Metered.operation("4.1", "READ"));
    private static final long LIMIT_SECONDS = 30;

    private record Origin(int xid, String peer) implements CallOrigin {}

    private final BlockingQueue<byte[]> bodies = new LinkedBlockingQueue<>();
    private final TraceCounts counts = new TraceCounts();
    private HttpServer receiver;
    private volatile int status = 200;

    @BeforeEach
    void receive() throws Exception {
        // The library reads its limits only once. They must be the server's limits, because otherwise its own
        // defaults would apply to all later tests.
        MethodHandles.lookup().ensureInitialized(HttpService.class);
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/v1/traces", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
            bodies.add(body);
        });
        receiver.start();
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
    }

    private URI endpoint() {
        return URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/v1/traces");
    }

    private static void call(OtlpTraces traces) {
        CallRecorder recorder = WatchedCalls.of(CallRecorder.NONE, List.of(traces::ended));
        CallTimer timer = CallTimer.begin(recorder, COMPOUND, new Origin(0xcafe, "[2001:db8::1]:700"));
        timer.operationEnded(SEQUENCE, "OK");
        timer.operationEnded(READ, "IO");
        timer.ended("IO");
    }

    private static Map<String, String> attributes(Protobuf message, int field) {
        Map<String, String> attributes = new TreeMap<>();
        for (Protobuf pair : message.messages(field)) {
            Protobuf value = pair.messages(2).getFirst();
            boolean number = value.fields().getFirst().number() == 3;
            attributes.put(pair.text(1), number ? Long.toString(value.number(3)) : value.text(1));
        }
        return attributes;
    }

    @Test
    void call_isASpan_withOneForEachOperation() throws Exception {
        long before = System.currentTimeMillis();
        try (OtlpTraces traces = new OtlpTraces(endpoint(), 1, "1.2.3", counts)) {
            traces.begin();
            call(traces);
            byte[] body = bodies.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(body).isNotNull();
            Protobuf resource = Protobuf.parse(body).messages(1).getFirst();
            assertThat(attributes(resource.messages(1).getFirst(), 1))
                    .containsEntry("service.name", "warpnfs")
                    .containsEntry("service.version", "1.2.3");
            List<Protobuf> spans = resource.messages(2).getFirst().messages(2);
            assertThat(spans)
                    .extracting(span -> span.text(5))
                    .containsExactlyInAnyOrder("nfs/COMPOUND", "nfs/SEQUENCE", "nfs/READ");
            Protobuf whole = named(spans, "nfs/COMPOUND");
            Protobuf read = named(spans, "nfs/READ");
            assertThat(read.hex(4)).as("parent").isEqualTo(whole.hex(2)).hasSize(16);
            assertThat(read.hex(1)).as("trace").isEqualTo(whole.hex(1)).hasSize(32);
            assertThat(whole.hex(4)).isEmpty();
            assertThat(whole.number(6)).as("SPAN_KIND_SERVER").isEqualTo(2);
            assertThat(whole.number(7)).isLessThanOrEqualTo(read.number(7));
            assertThat(whole.number(8)).isGreaterThanOrEqualTo(read.number(8));
            // Allow for a second between two readings of the clock.
            assertThat(TimeUnit.NANOSECONDS.toMillis(whole.number(7)))
                    .isBetween(before - 1000, System.currentTimeMillis() + 1000);
            assertThat(attributes(whole, 9))
                    .containsEntry("rpc.system", "onc_rpc")
                    .containsEntry("rpc.method", "COMPOUND")
                    .containsEntry("onc_rpc.version", "4")
                    .containsEntry("nfs.version", "4.1")
                    .containsEntry("nfs.xid", "cafe")
                    .containsEntry("client.address", "2001:db8::1")
                    .containsEntry("network.peer.port", "700");
            assertThat(read.messages(15).getFirst().number(3))
                    .as("STATUS_CODE_ERROR")
                    .isEqualTo(2);
            assertThat(named(spans, "nfs/SEQUENCE").messages(15).stream().mapToLong(of -> of.number(3)))
                    .doesNotContain(2L);
        }
        assertThat(Stream.of(counts.sent(), counts.dropped(), counts.failed())).containsExactly(1L, 0L, 0L);
    }

    private static Protobuf named(List<Protobuf> spans, String name) {
        return spans.stream()
                .filter(span -> span.text(5).equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void receiverThatRefuses_isCounted() throws Exception {
        status = 400;
        try (OtlpTraces traces = new OtlpTraces(endpoint(), 1, "1", counts)) {
            traces.begin();
            call(traces);
            assertThat(bodies.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isNotNull();
        }
        assertThat(Stream.of(counts.sent(), counts.dropped(), counts.failed())).containsExactly(0L, 0L, 1L);
    }

    /**
     * Accepts a connection, reads a request and sends the given answer. Counts down {@code closed} when the other side
     * has closed the connection.
     */
    private static void answer(
            ServerSocket socket, String head, byte[] piece, CountDownLatch taken, CountDownLatch closed) {
        Thread.ofPlatform().daemon().start(() -> {
            try (Socket connection = socket.accept()) {
                InputStream in = connection.getInputStream();
                taken.countDown();
                if (in.read(new byte[1 << 16]) > 0) {
                    OutputStream out = connection.getOutputStream();
                    out.write(head.getBytes(StandardCharsets.US_ASCII));
                    while (true) {
                        out.write(piece);
                        out.flush();
                        if (piece.length == 1) {
                            Thread.sleep(1);
                        }
                    }
                }
                closed.countDown();
            } catch (IOException e) {
                closed.countDown();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void assertGivenUp(String head, byte[] piece, Duration timeout) throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            answer(socket, head, piece, taken, closed);
            URI endpoint = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/v1/traces");
            try (OtlpTraces traces = new OtlpTraces(endpoint, 1, "1", counts, timeout)) {
                traces.begin();
                call(traces);
                long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(2 * LIMIT_SECONDS);
                while (counts.failed() == 0 && System.nanoTime() - deadlineNanos < 0) {
                    Thread.sleep(1);
                }
                // On a slow machine the time limit may end before the connection is made.
                if (taken.getCount() == 0) {
                    assertThat(closed.await(2 * LIMIT_SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                }
            }
        }
        assertThat(Stream.of(counts.sent(), counts.dropped(), counts.failed())).containsExactly(0L, 0L, 1L);
    }

    /** The library would read the whole answer into one array. */
    @Test
    void answerOfTenGibibytes_isNotRead() throws Exception {
        assertGivenUp(
                "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n", new byte[1 << 16], Duration.ofSeconds(60));
    }

    @Test
    void answerThatNeverEnds_isGivenUpInTime() throws Exception {
        assertGivenUp("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", new byte[1], Duration.ofSeconds(2));
    }

    @Test
    void answerThatIsNoHttp_isGivenUp() throws Exception {
        assertGivenUp("* OK IMAP4rev1\r\n", new byte[1 << 16], Duration.ofSeconds(60));
    }

    /** Nothing takes calls from the queue. It keeps as many as it has room for, and no caller waits. */
    @Test
    void queueFull_isDroppedAndCounted() {
        try (OtlpTraces traces = new OtlpTraces(endpoint(), 1, "1", counts)) {
            for (int i = 0; i < OtlpTraces.MAX_WAITING + 7; i++) {
                call(traces);
            }
        }
        assertThat(counts.dropped()).isEqualTo(7);
    }

    @Test
    void ratioOfNothing_sendsNothing() {
        try (OtlpTraces traces = new OtlpTraces(endpoint(), 0, "1", counts)) {
            for (int i = 0; i < OtlpTraces.MAX_WAITING + 7; i++) {
                call(traces);
            }
        }
        assertThat(counts.dropped()).isZero();
    }
}
