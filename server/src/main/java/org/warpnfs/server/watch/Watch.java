package org.warpnfs.server.watch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.schedule.Repeated;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.http.Answer;
import org.warpnfs.server.http.HttpService;
import org.warpnfs.server.metrics.CallTotals;
import org.warpnfs.server.metrics.ServerMetrics;

/**
 * Monitors a server and serves the results at one HTTP address: {@code /metrics}, {@code /healthz}, {@code /readyz},
 * {@code /status.json} and the page at {@code /}.
 *
 * <p>It starts before the server, to report that the server is starting, and ends after it, to report that it drains.
 * One thread checks the server periodically. Safe for any thread.
 */
public final class Watch implements AutoCloseable {
    /** The length of an interval of the status page's history. */
    static final int INTERVAL_SECONDS = 5;
    /** How often the roots of the exports are looked at if nobody asks. */
    private static final Duration BACKENDS_PAUSE = Duration.ofSeconds(10);

    private static final Duration LOOPS_PERIOD = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final Verdict STARTING = Verdict.bad("starting");
    private static final double NANOS = 1e-9;

    private final String version;
    private final ServerMetrics metrics;
    private final History history = new History();
    private final String page = page();
    private final @Nullable HttpService http;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("watch").daemon().factory());
    private volatile @Nullable Served served;

    /** A server and its monitors. */
    private record Served(WarpServer server, Map<String, LoopLag> lags, Health health) {}

    private Watch(String version, @Nullable InetSocketAddress address) throws IOException {
        this.version = version;
        this.metrics = new ServerMetrics(version, this::values);
        Map<String, Function<String, Answer>> questions = new HashMap<>();
        questions.put("/", query -> Answer.of("text/html; charset=utf-8", page));
        questions.put("/metrics", query -> Answer.of(ServerMetrics.CONTENT_TYPE, metrics.scrape()));
        questions.put("/healthz", query -> line(alive()));
        questions.put("/readyz", query -> line(ready(query.equals("deep"))));
        questions.put("/status.json", query -> Answer.of("application/json", status()));
        this.http = address == null ? null : HttpService.start(address, questions);
    }

    /**
     * Starts answering; until {@link #serves} the answers say that the server is starting.
     *
     * @param version the version of this build
     * @throws IOException if it cannot listen on the address
     */
    public static Watch start(String version, InetSocketAddress address) throws IOException {
        return new Watch(version, address);
    }

    /** Returns a monitor without HTTP. */
    public static Watch unseen(String version) {
        try {
            return new Watch(version, null);
        } catch (IOException e) {
            throw new AssertionError("without an address nothing can be taken", e);
        }
    }

    /** Returns the contents of {@code /status.json} without history and exports, as maps, lists, texts and numbers. */
    public Map<String, Object> summary() {
        return Status.summary(version, ready(false), metrics.values());
    }

    /** Reads and returns all counters by name. */
    public Map<String, Number> counters() {
        return metrics.values();
    }

    /** Returns the totals of calls since the start, over all transports. */
    public List<CallTotals> calls() {
        return metrics.calls();
    }

    /** Returns the totals of calls since the start, by transport. */
    public List<CallTotals> callsByTransport() {
        return metrics.callsByTransport();
    }

    /** Returns the recorder for the calls of the monitored server. */
    public CallRecorder recorder() {
        return metrics.recorder();
    }

    /** Called when the server has started; begins to monitor it. The server may be closed before this object. */
    public void serves(WarpServer server) {
        Map<String, LoopLag> lags = new TreeMap<>();
        server.eventLoops().forEach((transport, loops) -> lags.put(transport, new LoopLag(loops, System::nanoTime)));
        served = new Served(server, lags, new Health(server, lags));
        sample();
        lags.values().forEach(LoopLag::look);
        var _ = Repeated.inPeriods(clock, LOOPS_PERIOD, () -> lags.values().forEach(LoopLag::look));
        var _ = Repeated.inPeriods(clock, Duration.ofSeconds(INTERVAL_SECONDS), this::sample);
        var _ = Repeated.afterPauses(clock, BACKENDS_PAUSE, served.health::lookAtBackends);
    }

    /** Returns whether it serves HTTP. */
    public boolean answers() {
        return http != null;
    }

    /** Returns the HTTP address with the actual port. Must not be called if it does not serve HTTP. */
    public InetSocketAddress address() {
        return Objects.requireNonNull(http, "it answers nowhere").localAddress();
    }

    private Map<String, Number> values() {
        Served now = served;
        Map<String, Number> values = new HashMap<>();
        if (now != null) {
            values.putAll(now.server.counters());
            values.put("server_exports", now.server.exports().size());
            values.put("server_exports_failed", now.health.failedExports());
            values.put("server_grace", now.server.isGraceRunning() ? 1 : 0);
            values.put("server_draining", now.server.isDraining() ? 1 : 0);
            now.lags.forEach((transport, lag) -> values.put(transport + "_loop_lag_seconds", lag.worstNanos() * NANOS));
        }
        return values;
    }

    private void sample() {
        try {
            history.add(System.currentTimeMillis() / 1000, metrics.values(), metrics.calls());
        } catch (RuntimeException e) {
            // The server serves without its history.
            LOG.error("a check of the server failed, because of a bug", e);
        }
    }

    private Verdict alive() {
        Served now = served;
        return now == null ? Verdict.good("alive, starting") : now.health.alive();
    }

    private Verdict ready(boolean deep) {
        Served now = served;
        return now == null ? STARTING : now.health.ready(deep);
    }

    private String status() {
        Served now = served;
        return Status.of(
                version, ready(false), now == null ? List.of() : now.server.exports(), metrics.values(), history);
    }

    private static Answer line(Verdict verdict) {
        return Answer.line(verdict.good(), verdict.reason());
    }

    private static String page() {
        try (InputStream in = Watch.class.getResourceAsStream("status.html")) {
            if (in == null) {
                throw new IllegalStateException("the status page is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        if (http != null) {
            http.close();
        }
        metrics.close();
    }
}
