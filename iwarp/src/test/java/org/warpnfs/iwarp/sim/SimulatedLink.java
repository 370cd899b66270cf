package org.warpnfs.iwarp.sim;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.qp.QueuePairLink;
import org.warpnfs.iwarp.qp.QueuePairMachine;

/**
 * One end of a simulated connection.
 *
 * <h2>Operation</h2>
 *
 * The link behaves like a socket with a small buffer. It takes a batch piece by piece, each later than the one before,
 * and reports it as sent when its last piece has been taken. The bytes arrive at the other end in order, in other
 * pieces. Bytes that arrive at a closed end reset the connection.
 *
 * <h2>Buffers</h2>
 *
 * A batch is read as its pieces are taken.
 *
 * <h2>Errors</h2>
 *
 * None of its own.
 */
final class SimulatedLink implements QueuePairLink {
    private final Simulation simulation;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final Deque<ByteBuffer> taking = new ArrayDeque<>();
    private @Nullable QueuePairMachine machine;
    private @Nullable SimulatedConnection connection;
    private @Nullable SimulatedLink peer;
    private @Nullable FpduBatch batch;
    private long lastArrivalNanos;
    private long stalledUntilNanos;
    private boolean cutOff;
    private boolean outputEnded;
    private boolean finSent;
    private boolean closed;
    private boolean pumping;

    SimulatedLink(Simulation simulation, InetSocketAddress local, InetSocketAddress remote) {
        this.simulation = simulation;
        this.local = local;
        this.remote = remote;
    }

    void join(SimulatedConnection both, SimulatedLink other) {
        connection = both;
        peer = other;
    }

    void attach(QueuePairMachine attached) {
        machine = attached;
    }

    QueuePairMachine machine() {
        QueuePairMachine attached = machine;
        if (attached == null) {
            throw new IllegalStateException("the link is not attached");
        }
        return attached;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public boolean inOwnerThread() {
        return simulation.inOwnerThread();
    }

    @Override
    public void execute(Runnable task) {
        simulation.schedule(0, task);
    }

    @Override
    public long nowNanos() {
        return simulation.nowNanos();
    }

    @Override
    public void internalError(Throwable error) {
        simulation.internalError(error);
    }

    @Override
    public void deadlineChanged() {
        // A machine that is not attached yet has no deadline.
        if (machine == null) {
            return;
        }
        OptionalLong deadline = machine.deadlineNanos();
        if (deadline.isPresent() && deadline.getAsLong() - simulation.nowNanos() < Simulation.NEVER_NANOS) {
            simulation.schedule(deadline.getAsLong() - simulation.nowNanos(), () -> machine()
                    .deadlinePassed());
        }
    }

    @Override
    public void outputReady() {
        if (pumping || batch != null || closed || machine == null) {
            return;
        }
        pumping = true;
        int segmentBytes = simulation.tap().segmentBytes(local);
        if (segmentBytes > 0) {
            machine().fitSegments(segmentBytes);
        }
        FpduBatch next = machine().pull();
        pumping = false;
        if (next != null) {
            batch = next;
            next.buffers().forEach(buffer -> taking.add(buffer.duplicate()));
            simulation.tap().handedOver(local, remote, next);
            simulation.schedule(simulation.delayNanos(), this::take);
        } else if (outputEnded) {
            sendFin();
        }
    }

    @Override
    public long unsentBytes() {
        long unsentBytes = 0;
        for (ByteBuffer buffer : taking) {
            unsentBytes += buffer.remaining();
        }
        return unsentBytes;
    }

    /** The socket takes one piece of the batch. */
    private void take() {
        FpduBatch whole = batch;
        if (closed || whole == null) {
            return;
        }
        if (simulation.nowNanos() < stalledUntilNanos) {
            simulation.schedule(stalledUntilNanos - simulation.nowNanos(), this::take);
            return;
        }
        ByteBuffer first = taking.element();
        int lengthBytes = simulation.pieceBytes(first.remaining());
        ByteBuffer piece = ByteBuffer.allocate(lengthBytes);
        piece.put(first.slice(first.position(), lengthBytes)).flip();
        first.position(first.position() + lengthBytes);
        if (!first.hasRemaining()) {
            taking.remove();
        }
        simulation.tap().left(local, remote, piece.duplicate());
        if (!cutOff) {
            arriveLater(() -> arrived(piece));
        }
        if (!taking.isEmpty()) {
            simulation.schedule(simulation.delayNanos(), this::take);
            return;
        }
        batch = null;
        machine().sent(whole);
        outputReady();
    }

    private void sendFin() {
        if (!finSent) {
            finSent = true;
            arriveLater(() -> {
                SimulatedLink other = peer;
                if (other != null && !other.closed) {
                    simulation.tap().ended(local, remote);
                    other.machine().receivedEnd();
                }
            });
        }
    }

    /** Nothing is sent or delivered for a while. */
    void stall(long nanos) {
        stalledUntilNanos = simulation.nowNanos() + nanos;
        lastArrivalNanos = Math.max(lastArrivalNanos, stalledUntilNanos);
    }

    /** The bytes sent so far are delivered, then the end of the stream. */
    void cutOff() {
        cutOff = true;
        sendFin();
    }

    private void arriveLater(Runnable arrival) {
        lastArrivalNanos = Math.max(lastArrivalNanos, simulation.nowNanos() + simulation.delayNanos());
        simulation.schedule(lastArrivalNanos - simulation.nowNanos(), arrival);
    }

    /** A piece of ours arrives at the peer. */
    private void arrived(ByteBuffer piece) {
        SimulatedLink other = peer;
        SimulatedConnection both = connection;
        if (other == null || both == null) {
            return;
        }
        if (simulation.resetNow()) {
            both.reset();
        } else if (other.closed) {
            lost("connection reset");
        } else {
            simulation.tap().carried(local, remote, piece.asReadOnlyBuffer());
            other.machine().received(piece);
        }
    }

    @Override
    public void endOutput() {
        outputEnded = true;
        if (batch == null && !closed) {
            sendFin();
        }
    }

    @Override
    public void reconnect() {
        closed = true;
        sendFin();
        simulation.reconnect(machine(), remote);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            sendFin();
            simulation.schedule(0, () -> machine().linkClosed());
        }
    }

    /** The connection is gone. */
    void lost(String detail) {
        if (!closed) {
            closed = true;
            simulation.tap().lost(local, remote);
            machine().linkLost(detail);
        }
    }
}
