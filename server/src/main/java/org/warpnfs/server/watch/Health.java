package org.warpnfs.server.watch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.warpnfs.server.WarpServer;

/** Decides whether a server is alive, and whether it is ready for clients. */
final class Health {
    /** How long reading an export's root may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    /**
     * The time limit of each of the four calls of a deep probe, which together stay within the time limit of an answer.
     */
    private static final Duration CALL_TIMEOUT = Duration.ofMillis(2500);
    /** An event loop that has been stuck for this long hangs: only a restart helps. */
    private static final long HUNG_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final WarpServer server;
    private final Map<String, LoopLag> lags;
    private final BackendCheck backends;
    private final DeepProbe probe;

    Health(WarpServer server, Map<String, LoopLag> lags) {
        this.server = server;
        this.lags = lags;
        this.backends = new BackendCheck(server::exports, PATIENCE, System::nanoTime);
        this.probe = new DeepProbe(server.tcpAddress(), server.rdmaAddress(), CALL_TIMEOUT);
    }

    /** Returns whether the server is alive; bad if only a restart helps. */
    Verdict alive() {
        for (Map.Entry<String, LoopLag> lag : lags.entrySet()) {
            if (!server.isDraining() && lag.getValue().worstNanos() > HUNG_NANOS) {
                return Verdict.bad("an event loop of " + lag.getKey() + " hangs");
            }
        }
        return Verdict.good("alive");
    }

    /** Begins a look at the exports' backends, for the log and the metrics, and does not wait for it. */
    void lookAtBackends() {
        if (!server.isDraining()) {
            backends.lookLater();
        }
    }

    /** Exports that something is wrong with, as the last look found. */
    int failedExports() {
        return backends.failed();
    }

    /** Returns whether the server is ready; bad while clients should wait or use another server. */
    Verdict ready(boolean deep) {
        if (server.isDraining()) {
            return Verdict.bad("draining");
        }
        Verdict looked = backends.look();
        if (!looked.good()) {
            return looked;
        }
        String state = server.isGraceRunning() ? "ready, in grace" : "ready";
        if (!deep) {
            return Verdict.good(state);
        }
        Verdict gone = probe.probe();
        return gone.good() ? Verdict.good(state + ": " + gone.reason()) : gone;
    }
}
