package org.warpnfs.iwarp.sim;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.qp.LocalRnic;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.qp.QueuePairMachine;
import org.warpnfs.iwarp.qp.RnicLimits;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.Connector;
import org.warpnfs.iwarp.verbs.Listener;

/**
 * A simulated network on one thread, with a clock of its own, on which queue pairs connect to each other.
 *
 * <h2>Operation</h2>
 *
 * {@link #listen} and {@link #connector()} are the same as those of a transport. Nothing happens until {@link #run()},
 * {@link #runFor} or {@link #step()} is called, by the thread that created the simulation.
 *
 * <p>{@link #run()} advances the clock over all waits. So initiators may be silent for as long as they like, unless the
 * configuration changes the default deadline for the first message.
 *
 * <h2>Buffers</h2>
 *
 * As with a real socket, posted buffers are read some time before their completion, and not later.
 *
 * <h2>Errors</h2>
 *
 * Defects that ended a connection are collected in {@link #internalErrors()}. A simulation that does not come to rest
 * throws {@link IllegalStateException}.
 */
public final class Simulation {
    /** More steps than any test takes. Beyond it the simulation is in a loop. */
    private static final long MAX_STEPS = 50_000_000;

    /** An event that is this far in the future never happens. */
    static final long NEVER_NANOS = TimeUnit.DAYS.toNanos(365);

    private final Random random;
    private final LinkFaults faults;
    private final QueuePairConfig config;
    private final LocalRnic rnic;
    private final Thread owner = Thread.currentThread();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<InetSocketAddress, ConnectionRequestHandler> listeners = new HashMap<>();
    private final List<SimulatedConnection> connections = new ArrayList<>();
    private final List<Throwable> internalErrors = new ArrayList<>();
    private Tap tap = (from, to, bytes) -> {};
    private long nowNanos;
    private long scheduled;
    private int lastPort = 40_000;

    public Simulation(long seed) {
        this(seed, QueuePairConfig.defaults(), LinkFaults.none());
    }

    public Simulation(long seed, QueuePairConfig config, LinkFaults faults) {
        this.random = new Random(seed);
        this.config = config.firstMessageTimeoutNanos()
                        == QueuePairConfig.defaults().firstMessageTimeoutNanos()
                ? config.toBuilder().firstMessageTimeoutNanos(NEVER_NANOS).build()
                : config;
        this.rnic = new LocalRnic(random, RnicLimits.defaults());
        this.faults = faults;
    }

    private record Event(long atNanos, long order, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** Accepts connections to an address, which exists in this simulation alone. */
    public Listener listen(InetSocketAddress address, ConnectionRequestHandler handler) {
        if (listeners.putIfAbsent(address, handler) != null) {
            throw new IllegalStateException("somebody listens on " + address);
        }
        return new Listener() {
            @Override
            public InetSocketAddress localAddress() {
                return address;
            }

            @Override
            public void close() {
                listeners.remove(address, handler);
            }
        };
    }

    /** The resources that all queue pairs of this simulation share. */
    public LocalRnic rnic() {
        return rnic;
    }

    /** Opens connections to addresses that are listened on here. */
    public Connector connector() {
        return connector(config);
    }

    /** A connector with another configuration of the initiator. */
    public Connector connector(QueuePairConfig initiatorConfig) {
        return connector(initiatorConfig, InetAddress.getLoopbackAddress());
    }

    /** A connector from another host. */
    public Connector connector(InetAddress host) {
        return connector(config, host);
    }

    private Connector connector(QueuePairConfig initiatorConfig, InetAddress host) {
        return (remote, options, handler) ->
                open(remote, host, near -> QueuePairMachine.initiator(near, initiatorConfig, rnic, options, handler));
    }

    /** Opens a new connection for a machine that had another. */
    void reconnect(QueuePairMachine machine, InetSocketAddress remote) {
        open(remote, InetAddress.getLoopbackAddress(), near -> {
            machine.relink(near);
            return machine;
        });
    }

    private void open(InetSocketAddress remote, InetAddress host, Function<SimulatedLink, QueuePairMachine> attached) {
        InetSocketAddress local = new InetSocketAddress(host, ++lastPort);
        SimulatedConnection connection = new SimulatedConnection(this, local, remote);
        SimulatedLink near = connection.initiator();
        near.attach(attached.apply(near));
        schedule(delayNanos(), () -> {
            ConnectionRequestHandler decider = listeners.get(remote);
            if (decider == null) {
                near.lost("connection refused");
                return;
            }
            connections.add(connection);
            SimulatedLink far = connection.responder();
            far.attach(QueuePairMachine.responder(far, config, rnic, decider));
            far.machine().start();
            near.machine().start();
        });
    }

    /** The clock, which stands still between events. */
    public long nowNanos() {
        return nowNanos;
    }

    /** Runs a task at a later time of the clock. */
    public void schedule(long delayNanos, Runnable task) {
        events.add(new Event(nowNanos + Math.max(0, delayNanos), scheduled++, task));
    }

    /** Runs the next event; false if there is none. */
    public boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nowNanos = Math.max(nowNanos, next.atNanos());
        next.task().run();
        return true;
    }

    /** Runs until nothing is left to happen. */
    public void run() {
        for (long steps = 0; step(); steps++) {
            if (steps > MAX_STEPS) {
                throw new IllegalStateException("no rest after " + MAX_STEPS + " steps");
            }
        }
    }

    /** Runs what happens within a time from now, and moves the clock to its end. */
    public void runFor(long nanos) {
        long end = nowNanos + nanos;
        for (Event next = events.peek(); next != null && next.atNanos() <= end; next = events.peek()) {
            step();
        }
        nowNanos = end;
    }

    /** Observes the network. */
    @FunctionalInterface
    public interface Tap {
        /** Bytes arrive, in order for each direction. */
        void carried(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes);

        /**
         * What TCP sends in one segment of a direction from now on, asked before each batch.
         *
         * @return 0 if it is not known
         */
        default int segmentBytes(InetSocketAddress from) {
            return 0;
        }

        /** A sender's socket has a batch. It takes no other until all its bytes have been sent. */
        default void handedOver(InetSocketAddress from, InetSocketAddress to, FpduBatch batch) {}

        /** Bytes are sent, in order for each direction. A tap that changes them simulates a bad wire. */
        default void left(InetSocketAddress from, InetSocketAddress to, ByteBuffer bytes) {}

        /** The end of a stream arrives. */
        default void ended(InetSocketAddress from, InetSocketAddress to) {}

        /** One end is about to be told that the connection is gone. */
        default void lost(InetSocketAddress local, InetSocketAddress remote) {}
    }

    /** Sets the tap that observes all bytes from now on. */
    public void tap(Tap looking) {
        tap = looking;
    }

    Tap tap() {
        return tap;
    }

    /** Resets every connection, as a broken network would. */
    public void resetAll() {
        for (SimulatedConnection connection : List.copyOf(connections)) {
            connection.reset();
        }
    }

    /**
     * Sends and delivers nothing for some time in one direction of each connection.
     *
     * @param fromInitiator the direction
     */
    public void stall(boolean fromInitiator, long nanos) {
        for (SimulatedConnection connection : connections) {
            connection.sender(fromInitiator).stall(nanos);
        }
    }

    /**
     * Ends one direction of each connection in the middle of its data. The receiver gets the end of the stream after
     * the bytes sent so far, and later bytes are lost.
     *
     * @param fromInitiator the direction
     */
    public void cutOff(boolean fromInitiator) {
        for (SimulatedConnection connection : connections) {
            connection.sender(fromInitiator).cutOff();
        }
    }

    /** Defects of ours or of the upper layer that ended a connection. */
    public List<Throwable> internalErrors() {
        return List.copyOf(internalErrors);
    }

    boolean inOwnerThread() {
        return Thread.currentThread() == owner;
    }

    void internalError(Throwable error) {
        internalErrors.add(error);
    }

    long delayNanos() {
        return faults.maxDelayNanos() == 0 ? 0 : random.nextLong(faults.maxDelayNanos() + 1);
    }

    int pieceBytes(int availableBytes) {
        return Math.min(availableBytes, 1 + random.nextInt(faults.maxPieceBytes()));
    }

    boolean resetNow() {
        return faults.resetProbability() > 0 && random.nextDouble() < faults.resetProbability();
    }
}
