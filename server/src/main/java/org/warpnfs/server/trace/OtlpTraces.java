package org.warpnfs.server.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.internal.otlp.traces.TraceRequestMarshaler;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.stats.CallTrail;

/**
 * Sends calls as spans to an OTLP receiver, as protobuf over HTTP.
 *
 * <h2>Operation</h2>
 *
 * The thread that ends a call puts it into a queue. A separate thread creates spans from the queued calls and sends
 * them together.
 *
 * <h2>Buffers</h2>
 *
 * The queue holds {@value #MAX_WAITING} calls. Further calls are dropped and counted, so that a slow or absent receiver
 * delays nothing.
 *
 * <h2>Errors</h2>
 *
 * Spans that the receiver does not accept are counted, and logged once a minute. Safe for any thread.
 */
public final class OtlpTraces implements AutoCloseable {
    static final int MAX_WAITING = 2048;

    private static final int MAX_TOGETHER = 256;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration CLOSING = Duration.ofSeconds(3);
    /** How long to collect calls before sending, so that single calls are sent together. */
    private static final long GATHER_MILLIS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(OtlpTraces.class);

    /**
     * The logger of the library, which would bypass our log. The reference is kept because the registry of loggers does
     * not.
     */
    private static final java.util.logging.Logger EXPORTER = java.util.logging.Logger.getLogger("io.opentelemetry");

    private final URI endpoint;
    private final double ratio;
    private final TraceCounts counts;
    private final LogLimiter lines = new LogLimiter();
    private final BlockingQueue<CallTrail> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final List<SpanData> spans = new ArrayList<>();
    private final OtlpReceiver receiver;
    private final SdkTracerProvider provider;
    private final CallSpans maker;
    private final Thread sender = new Thread(this::run, "traces");
    private volatile boolean closing;

    /**
     * Starts sending.
     *
     * @param endpoint the URL for traces, such as {@code http://127.0.0.1:4318/v1/traces}
     * @param ratio the fraction of calls to send, from 0 to 1
     * @param version the version of this build
     */
    public static OtlpTraces start(URI endpoint, double ratio, String version) {
        OtlpTraces traces = new OtlpTraces(endpoint, ratio, version, TraceCounts.ofProcess());
        traces.begin();
        return traces;
    }

    OtlpTraces(URI endpoint, double ratio, String version, TraceCounts counts) {
        this(endpoint, ratio, version, counts, TIMEOUT);
    }

    /** @param timeout the time limit of each answer */
    OtlpTraces(URI endpoint, double ratio, String version, TraceCounts counts, Duration timeout) {
        EXPORTER.setLevel(Level.OFF);
        this.endpoint = endpoint;
        this.ratio = ratio;
        this.counts = counts;
        this.receiver = new OtlpReceiver(endpoint, timeout);
        this.provider = SdkTracerProvider.builder()
                .setSampler(Sampler.alwaysOn())
                .setResource(Resource.create(Attributes.builder()
                        .put("service.name", "warpnfs")
                        .put("service.version", version)
                        .build()))
                .addSpanProcessor(new Gathering(spans))
                .build();
        this.maker = new CallSpans(provider.get("org.warpnfs", version));
    }

    void begin() {
        sender.setDaemon(true);
        sender.start();
    }

    /** Called when a call has ended. Never blocks. */
    public void ended(CallTrail trail) {
        if (ratio < 1 && ThreadLocalRandom.current().nextDouble() >= ratio) {
            return;
        }
        trail.keep();
        if (!waiting.offer(trail)) {
            counts.countDropped();
        }
    }

    private void run() {
        List<CallTrail> together = new ArrayList<>();
        try {
            while (!closing || !waiting.isEmpty()) {
                CallTrail first = waiting.poll(GATHER_MILLIS, TimeUnit.MILLISECONDS);
                if (first != null) {
                    together.add(first);
                    waiting.drainTo(together, MAX_TOGETHER - 1);
                    send(together);
                    together.clear();
                }
            }
        } catch (InterruptedException e) {
            // close() ends this thread.
            Thread.currentThread().interrupt();
        }
    }

    private void send(List<CallTrail> calls) throws InterruptedException {
        // Computed each time, since the wall clock may have been set meanwhile.
        long epochNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        try {
            calls.forEach(trail -> maker.add(trail, epochNanos));
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            TraceRequestMarshaler.create(spans).writeBinaryTo(request);
            receiver.send(request.toByteArray());
            counts.countSent(calls.size());
        } catch (IOException | RuntimeException e) {
            failed(calls.size(), e);
        } catch (InterruptedException e) {
            counts.countFailed(calls.size());
            throw e;
        } finally {
            spans.clear();
        }
    }

    private void failed(int calls, Exception why) {
        counts.countFailed(calls);
        lines.admit("traces", ClientAddress.NONE)
                .ifPresent(more ->
                        LOG.warn("{} does not accept traces: {} ({} more like it)", endpoint, why.getMessage(), more));
    }

    /** Sends the queued calls, for a few seconds at most. */
    @Override
    public void close() {
        closing = true;
        if (sender.isAlive()) {
            try {
                boolean _ = sender.join(CLOSING);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            sender.interrupt();
        }
        receiver.close();
        var _ = provider.shutdown();
    }
}
