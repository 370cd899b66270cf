package org.warpnfs.tools.iwarp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * One client of a perftest server: its control connection, and its knowledge of the connections that carry the load.
 *
 * <h2>Operation</h2>
 *
 * Each message is answered at once with one of the same length: greetings with ours, synchronisations with the next
 * destination, figures of a result with zeros. With <i>n</i> connections for the load the destinations of all come
 * first, then those of all again, with one synchronisation between them for Sends and one after them for the others
 * ({@link PerftestClient} has the order). Ends with its last connection.
 *
 * <h2>Errors</h2>
 *
 * A message that does not belong to perftest's protocol ends the client's connections.
 *
 * <p>The control connection and each load have their own owner threads; their shared state is guarded by this object.
 */
final class PerftestSession implements QueuePairHandler {
    private static final int RECEIVES = 2;
    /** Synchronisations before the destinations: one when we listen, one when the loads are connected. */
    private static final int EMPTY_SYNCHRONISATIONS = 2;

    private static final int FIGURES = 5;
    /** The synchronisations of a completed test; a test of many sizes has more. */
    private static final int LEAST_SYNCHRONISATIONS = 7;

    private static final int MAX_LOADS = 1024;

    /** Is told the end of the session. */
    @FunctionalInterface
    interface End {
        void ended(PerftestSession session, boolean well, String line);
    }

    private final ServerPlan plan;
    private final InetSocketAddress client;
    private final ByteBuffer payload;
    private final End end;
    private final List<PerftestSink> loads = new ArrayList<>();
    private final Meter meter = new Meter();
    private final long[] figures = new long[FIGURES];
    private @Nullable QueuePair control;
    private @Nullable DisconnectReason controlEnd;
    private int openLoads;
    private int greetings;
    private int synchronisations;
    private int figuresSeen;
    private boolean loadsBroke;
    private long lastNanos = System.nanoTime();

    PerftestSession(ServerPlan plan, InetSocketAddress client, ByteBuffer payload, End end) {
        this.plan = plan;
        this.client = client;
        this.payload = payload;
        this.end = end;
    }

    synchronized boolean awaitsLoadFrom(InetAddress address) {
        return synchronisations == 1
                && controlEnd == null
                && loads.size() < MAX_LOADS
                && address.equals(client.getAddress());
    }

    /** Creates the handler of another connection for the load. */
    synchronized PerftestSink addLoad() {
        PerftestSink load = new PerftestSink(plan, payload, meter, this::loadEnded);
        loads.add(load);
        openLoads++;
        return load;
    }

    @Override
    public void created(QueuePair queuePair) {
        synchronized (this) {
            control = queuePair;
        }
        for (int i = 0; i < RECEIVES; i++) {
            queuePair.postReceive(i, ByteBuffer.allocateDirect(PerftestControl.RECEIVE_BYTES));
        }
    }

    @Override
    public void established(QueuePair queuePair) {}

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        if (completion instanceof Completion.Received received && received.status() == CompletionStatus.SUCCESS) {
            ByteBuffer answer = answer(received.buffer());
            queuePair.postReceive(received.workRequestId(), received.buffer().clear());
            if (answer == null) {
                queuePair.abort("a message that is none of perftest's");
            } else {
                queuePair.post(WorkRequest.Send.of(0, answer));
                queuePair.flush();
            }
        }
    }

    private synchronized @Nullable ByteBuffer answer(ByteBuffer message) {
        lastNanos = System.nanoTime();
        if (greetings < PerftestGreeting.MESSAGES) {
            return PerftestGreeting.whyRefused(greetings, message) == null
                    ? PerftestGreeting.message(greetings++)
                    : null;
        }
        PerftestDestination destination = PerftestDestination.parse(message);
        if (destination != null) {
            return synchronise(destination).encode();
        }
        if (message.remaining() == Long.BYTES) {
            figures[figuresSeen++ % FIGURES] = BigEndian.u64(message, message.position());
            return ByteBuffer.allocateDirect(Long.BYTES);
        }
        return null;
    }

    private PerftestDestination synchronise(PerftestDestination destination) {
        int index = ++synchronisations - EMPTY_SYNCHRONISATIONS - 1;
        if (index < 0 || loads.isEmpty()) {
            return PerftestDestination.NONE;
        }
        int n = loads.size();
        int again = plan.kind().sends() ? index - 1 : index;
        PerftestSink load = loads.get(index < n ? index : again >= n && again < 2 * n ? again - n : 0);
        load.setClient(destination);
        return load.destination();
    }

    private void loadEnded(boolean well) {
        synchronized (this) {
            openLoads--;
            loadsBroke |= !well;
        }
        endIfOver();
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason reason) {
        List<PerftestSink> left = List.of();
        synchronized (this) {
            controlEnd = reason;
            if (reason.cause() != Cause.PEER_CLOSE) {
                left = List.copyOf(loads);
            }
        }
        left.forEach(load -> load.abort("the client's control connection has ended"));
        endIfOver();
    }

    private void endIfOver() {
        DisconnectReason reason;
        boolean well;
        String line;
        synchronized (this) {
            reason = controlEnd;
            if (reason == null || openLoads > 0) {
                return;
            }
            well = reason.cause() == Cause.PEER_CLOSE && !loadsBroke && synchronisations >= LEAST_SYNCHRONISATIONS;
            line = HostText.of(client) + " " + plan.kind().word() + ": " + result()
                    + (well ? "" : ", " + ConnectionEnds.describe(reason));
        }
        end.ended(this, well, line);
    }

    private String result() {
        if (meter.messages() > 0) {
            return meter.summary().lines().getFirst();
        }
        if (figuresSeen >= FIGURES) {
            return String.format(
                    Locale.ROOT,
                    "%d messages of %d bytes, %.2f MiB/s, as the client says",
                    figures[1],
                    figures[0],
                    Double.longBitsToDouble(figures[3]));
        }
        return "no result after " + (greetings + synchronisations) + " messages";
    }

    /**
     * Disconnects a client that has been silent for too long before its test. The server may not see the test itself.
     */
    void lookForSilence(long nowNanos) {
        QueuePair silent;
        synchronized (this) {
            boolean testing = synchronisations > EMPTY_SYNCHRONISATIONS && controlEnd == null;
            if (testing || nowNanos - lastNanos < TimeUnit.SECONDS.toNanos(plan.patienceSeconds())) {
                return;
            }
            silent = control;
        }
        if (silent != null) {
            silent.execute(() -> silent.abort("silent for " + plan.patienceSeconds() + " s"));
        }
        List<PerftestSink> left;
        synchronized (this) {
            left = List.copyOf(loads);
        }
        left.forEach(load -> load.abort("the client was silent"));
    }
}
