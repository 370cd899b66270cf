package org.warpnfs.server.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.CallTrail;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.log.SlowCalls;
import org.warpnfs.server.log.WatchedCalls;
import org.warpnfs.server.metrics.BackendTimes;
import org.warpnfs.server.metrics.CoarseClock;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Settings;
import org.warpnfs.server.trace.OtlpTraces;

/** The configured receivers of call events beside the metrics: the log of slow calls, and traces. */
final class Listeners implements AutoCloseable {
    /** No receivers. */
    static final Listeners NONE = new Listeners(Duration.ZERO, null);

    private final List<Consumer<CallTrail>> readers = new ArrayList<>();
    private final @Nullable OtlpTraces traces;
    private final @Nullable CoarseClock clock;

    private Listeners(Duration slow, @Nullable OtlpTraces traces) {
        this.traces = traces;
        if (slow.isZero()) {
            clock = null;
        } else {
            clock = CoarseClock.beside(slow);
            BackendTimes.ofProcess().tellCalls(clock);
            readers.add(new SlowCalls(slow, clock::steps)::ended);
        }
        if (traces != null) {
            readers.add(traces::ended);
        }
    }

    /**
     * Starts the configured receivers.
     *
     * @throws ConfigException if a setting is wrong; one line says which
     */
    static Listeners of(Resolved settings) throws ConfigException {
        URI receiver = receiver(settings);
        return new Listeners(
                settings.get(Settings.SLOW_CALL),
                receiver == null
                        ? null
                        : OtlpTraces.start(receiver, 1.0 / settings.get(Settings.OTLP_ONE_IN), Version.number()));
    }

    /**
     * Returns the URL of the trace receiver; null if there is none. A URL without a path gets the path of the
     * specification.
     *
     * @throws ConfigException if it is not the URL of a receiver
     */
    static @Nullable URI receiver(Resolved settings) throws ConfigException {
        String text = settings.get(Settings.OTLP);
        if (text.isEmpty()) {
            return null;
        }
        String told = settings.at(Settings.OTLP) + " " + withoutSecret(text);
        try {
            URI url = new URI(text);
            if (url.getRawUserInfo() != null) {
                throw new ConfigException(
                        told + ": the URL contains a user or password, which the server does not send; remove them");
            }
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (!http || url.getHost() == null) {
                throw new ConfigException(told + ": not the URL of a receiver, such as http://127.0.0.1:4318");
            }
            return url.getPath().isEmpty() || url.getPath().equals("/") ? url.resolve("/v1/traces") : url;
        } catch (URISyntaxException e) {
            // The message of the exception contains the whole URL, so only its reason is used.
            throw new ConfigException(told + ": is not a URL: " + e.getReason(), e);
        }
    }

    /** Returns a URL without user and password. */
    static String withoutSecret(String text) {
        return text.replaceFirst("//[^/]*@", "//...@");
    }

    /**
     * Returns a recorder that passes events to all receivers.
     *
     * @param meters the recorder of the metrics; null if there are none
     */
    CallRecorder recorder(@Nullable CallRecorder meters) {
        return WatchedCalls.of(meters == null ? CallRecorder.NONE : meters, readers);
    }

    /** Sends the remaining traces. */
    @Override
    public void close() {
        if (clock != null) {
            clock.close();
        }
        if (traces != null) {
            traces.close();
        }
    }
}
