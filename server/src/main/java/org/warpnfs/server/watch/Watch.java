package org.warpnfs.server.watch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.http.Answer;
import org.warpnfs.server.http.HttpService;
import org.warpnfs.server.metrics.CallTotals;
import org.warpnfs.server.metrics.ServerMetrics;

/**
 * What people, probes and scrapers see of a server, at one HTTP address: {@code /metrics}, {@code /healthz},
 * {@code /readyz}, {@code /status.json} and the page at {@code /}.
 *
 * <p>It is there before the server, to say that it starts, and after it, to say that it drains. One thread looks at the
 * server from time to time. Safe for any thread.
 */
public final class Watch implements AutoCloseable {
    /** Of the history that the status page shows. */
    static final int INTERVAL_SECONDS = 5;
    /** How often the roots of the exports are looked at if nobody asks. */
    private static final int BACKENDS_SECONDS = 10;

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

    /** A server, and what looks at it. */
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
     * Answers from now on that a server starts.
     *
     * @param version of this build
     * @throws IOException if the address cannot be had
     */
    public static Watch start(String version, InetSocketAddress address) throws IOException {
        return new Watch(version, address);
    }

    /** Watches without answering HTTP. */
    public static Watch unseen(String version) {
        try {
            return new Watch(version, null);
        } catch (IOException e) {
            throw new AssertionError("without an address nothing can be taken", e);
        }
    }

    /** What {@code /status.json} says, without its history and the exports: JSON's maps, lists, texts and numbers. */
    public Map<String, Object> summary() {
        return Status.summary(version, ready(false), metrics.values());
    }

    /** Every counter by its name, read now. */
    public Map<String, Number> counters() {
        return metrics.values();
    }

    /** What has been called since the start, over all transports. */
    public List<CallTotals> calls() {
        return metrics.calls();
    }

    /** The same, by transport. */
    public List<CallTotals> callsByTransport() {
        return metrics.callsByTransport();
    }

    /** Who hears of the calls of the server that is to be watched. */
    public CallRecorder recorder() {
        return metrics.recorder();
    }

    /** The server has started, and is watched from now on. It may be closed before this is. */
    public void serves(WarpServer server) {
        Map<String, LoopLag> lags = new TreeMap<>();
        server.eventLoops().forEach((transport, loops) -> lags.put(transport, new LoopLag(loops, System::nanoTime)));
        served = new Served(server, lags, new Health(server, lags));
        sample();
        var _ = clock.scheduleAtFixedRate(() -> lags.values().forEach(LoopLag::look), 0, 1, TimeUnit.SECONDS);
        var _ = clock.scheduleAtFixedRate(this::sample, INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
        var _ = clock.scheduleWithFixedDelay(
                served.health::lookAtBackends, BACKENDS_SECONDS, BACKENDS_SECONDS, TimeUnit.SECONDS);
    }

    /** True if it answers HTTP. */
    public boolean answers() {
        return http != null;
    }

    /** Where it answers, with the port that was taken; not to be asked of one that does not. */
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
            // A clock that throws would never come again.
            LOG.error("a look at the server failed, by a bug of it", e);
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
