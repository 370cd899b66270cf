package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.schedule.Repeated;

/**
 * The client of a perftest with {@code -R}, from the first connection to the last.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * connection  what
 * control     greeting: version, buffer and cache line sizes, MTU
 *             synchronisation: soon the server listens for the second connection
 * load        connects, to the same port
 * control     synchronisation; destinations; once again; once more; for Sends a fourth time
 * load        the messages
 * control     for Reads and Writes a synchronisation and five figures of the result; synchronisation
 * load        disconnects
 * control     disconnects
 * </pre>
 *
 * Every message on the control connection is the client's, and the server answers with one of the same length.
 *
 * <p>perftest's server has a listener for each of the two connections, ends the first when it has accepted, and makes
 * the second <em>after</em> the synchronisation that announces it ({@code create_rdma_cm_connection}): until then
 * nobody listens. So the load waits a little, and tries again if it is refused, as perftest's own client does
 * ({@code rdma_cm_client_connection}). The wait is necessary if the server uses siw: it loses a connection that arrives
 * while its listener is being created ({@code siw_accept_newconn} before {@code SIW_EPSTATE_LISTENING}), and then never
 * answers.
 *
 * <h2>Errors</h2>
 *
 * Any deviation, loss or silence is a {@link TestFailure}.
 */
final class PerftestClient {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /** The most that siw offers, and what perftest asks for. */
    private static final int MAX_OUTSTANDING_READS = 128;
    /** The number of tries to connect for the load. */
    static final int CONNECT_TRIES = 40;
    /** The pause before each try; ten seconds for all. */
    static final long PAUSE_MILLIS = 250;

    private static final Duration CREDIT_POLL_PAUSE = Duration.ofNanos(100_000);
    private static final double MIB = 1 << 20;

    private final ClientPlan plan;
    private final Connector connector;
    private final Progress progress;
    private final long pauseMillis;
    private final PerftestControl control = new PerftestControl();

    /**
     * @param pauseMillis the pause before each try to connect for the load, and before the end, usually
     *     {@link #PAUSE_MILLIS}
     */
    PerftestClient(ClientPlan plan, Connector connector, Progress progress, long pauseMillis) {
        this.plan = plan;
        this.connector = connector;
        this.progress = progress;
        this.pauseMillis = pauseMillis;
    }

    Summary run() throws TestFailure, InterruptedException {
        connector.connect(plan.server(), new ConnectOptions(NOTHING, 0, 0), control);
        QueuePair controlPair = progress.await(control.established(), "connecting");
        try {
            for (int number = 0; number < PerftestGreeting.MESSAGES; number++) {
                String why =
                        PerftestGreeting.whyRefused(number, exchange(controlPair, PerftestGreeting.message(number)));
                if (why != null) {
                    throw new TestFailure(why);
                }
            }
            synchronise(controlPair, PerftestDestination.NONE);
            PerftestLoad load = connect();
            QueuePair loadPair = progress.await(load.connected(), "connecting for the load");
            synchronise(controlPair, PerftestDestination.NONE);
            PerftestDestination server = synchronise(controlPair, load.destination());
            synchronise(controlPair, load.destination());
            synchronise(controlPair, load.destination());
            if (plan.kind().sends()) {
                synchronise(controlPair, load.destination());
            }
            Summary summary = load(load, loadPair, server);
            if (!plan.kind().sends()) {
                synchronise(controlPair, load.destination());
                report(controlPair, summary);
            }
            synchronise(controlPair, load.destination());
            // The answer may be here before the server's adapter has reported that it was sent. A connection that ends
            // in between fails the server's test.
            Thread.sleep(pauseMillis);
            loadPair.execute(loadPair::disconnect);
            progress.await(load.ended(), "disconnecting");
            controlPair.execute(controlPair::disconnect);
            progress.await(control.ended(), "disconnecting");
            return summary;
        } finally {
            controlPair.execute(() -> controlPair.abort("the test is over"));
        }
    }

    private ByteBuffer exchange(QueuePair controlPair, ByteBuffer message) throws TestFailure, InterruptedException {
        int bytes = message.remaining();
        ByteBuffer answer = progress.await(control.exchange(controlPair, message), "the server's answer");
        if (answer.remaining() != bytes) {
            throw new TestFailure("an answer of " + answer.remaining() + " bytes to one of " + bytes
                    + ": this is no perftest, or another test");
        }
        return answer;
    }

    private PerftestDestination synchronise(QueuePair controlPair, PerftestDestination own)
            throws TestFailure, InterruptedException {
        PerftestDestination destination = PerftestDestination.parse(exchange(controlPair, own.encode()));
        return destination == null ? PerftestDestination.NONE : destination;
    }

    private PerftestLoad connect() throws TestFailure, InterruptedException {
        int reads = plan.kind() == TestKind.READ_BW ? Math.min(plan.depth(), MAX_OUTSTANDING_READS) : 1;
        for (int attempt = 1; ; attempt++) {
            Thread.sleep(pauseMillis);
            PerftestLoad load = plan.kind() == TestKind.SEND_LAT ? new LatencyLoad(plan) : new PipelinedLoad(plan);
            connector.connect(plan.server(), new ConnectOptions(NOTHING, 0, reads).with(extensions()), load);
            // The result is known either way; a failure is handled below, or tried again.
            progress.await(load.connected().handle((pair, failure) -> true), "connecting for the load");
            if (!load.nobodyListened()
                    || attempt == CONNECT_TRIES
                    || control.ended().isDone()) {
                return load;
            }
        }
    }

    private RdmaExtension[] extensions() {
        return switch (plan.operation()) {
            case PLAIN -> new RdmaExtension[0];
            case FETCH_ADD, COMPARE_SWAP -> new RdmaExtension[] {RdmaExtension.ATOMIC_OPERATIONS};
            case IMMEDIATE -> new RdmaExtension[] {RdmaExtension.IMMEDIATE_DATA};
        };
    }

    private Summary load(PerftestLoad load, QueuePair loadPair, PerftestDestination server)
            throws TestFailure, InterruptedException {
        var _ = control.ended().thenAccept(reason -> load.fail(ConnectionEnds.asFailure(reason, "")));
        Meter meter = new Meter();
        CompletableFuture<Void> done = load.done();
        loadPair.execute(() -> load.start(loadPair, meter, server));
        try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().factory())) {
            if (plan.kind() == TestKind.SEND_BW && load instanceof PipelinedLoad pipelined) {
                var _ = Repeated.afterPauses(
                        timer, CREDIT_POLL_PAUSE, () -> loadPair.execute(() -> pipelined.goOn(loadPair)));
            }
            try {
                progress.await(done, meter, "the test");
            } finally {
                timer.shutdownNow();
            }
        }
        return meter.summary();
    }

    /** Sends the five figures of a perftest result: size, count, peak and mean MiB/s, million messages per second. */
    private void report(QueuePair controlPair, Summary summary) throws TestFailure, InterruptedException {
        double seconds = Math.max(summary.elapsedNanos(), 1) / 1e9;
        double mean = summary.bytes() / MIB / seconds;
        exchange(controlPair, figure(plan.sizeBytes()));
        exchange(controlPair, figure(summary.messages()));
        exchange(controlPair, figure(Double.doubleToRawLongBits(mean)));
        exchange(controlPair, figure(Double.doubleToRawLongBits(mean)));
        exchange(controlPair, figure(Double.doubleToRawLongBits(summary.messages() / 1e6 / seconds)));
    }

    private static ByteBuffer figure(long bits) {
        ByteBuffer message = ByteBuffer.allocateDirect(Long.BYTES);
        BigEndian.putU64(message, bits);
        return message.flip();
    }
}
