package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/**
 * One queue pair as a machine: bytes and events in, bytes and completions out.
 *
 * <h2>Operation</h2>
 *
 * The environment calls {@link #start}, {@link #received}, {@link #receivedEnd}, {@link #linkClosed} and
 * {@link #deadlinePassed} as things happen, writes what {@link #pull} gives and reports each batch by {@link #sent}.
 * The upper layer is called at the end of such a call, never from within one of its own.
 *
 * <p>The parts, each of which knows only those named before it:
 *
 * <pre>
 * Upcalls          what the upper layer is going to hear
 * InboundStream    what arrives; tells it through InboundEvents
 * Transmitter      what leaves
 * StreamLife       the states of the stream, and how it ends
 * Turns            who is called when, so that nobody is called while he calls
 * LocalQueuePair   what the upper layer holds
 * StreamStart      how the stream begins
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * As {@link org.warpnfs.iwarp.verbs.QueuePair} says.
 *
 * <h2>Errors</h2>
 *
 * The peer's end with a Terminate. Ours, and the upper layer's, are reported to the link and end this one connection.
 */
public final class QueuePairMachine {
    /** One in a message, one more in the Terminate for it. */
    private static final int MAX_PULL_FAULTS = 2;

    private final CurrentLink link;
    private final InboundStream inbound;
    private final Transmitter transmitter;
    private final Upcalls upcalls = new Upcalls();
    private final QueuePair queuePair;
    private final Turns turns;
    private final Deadline deadline;
    private final StreamLife life;
    private final StreamStart start;
    private final StreamCounts counts;
    private long uses;

    private QueuePairMachine(QueuePairLink firstLink, QueuePairConfig config, LocalRnic rnic, Role role) {
        this.link = new CurrentLink(firstLink);
        QueuePairLimits limits = config.limits();
        RegionTable regions = new RegionTable(
                rnic.registry(),
                rnic.stags(),
                limits.regions(),
                rnic.registeredBytes(limits.registeredBytes()),
                link::inOwnerThread);
        ReceiveAccount account =
                new ReceiveAccount(rnic.receives(limits.receiveQueueDepth()), rnic.receiveBytes(limits.receiveBytes()));
        this.counts = rnic.streams();
        this.inbound = new InboundStream(new Arrivals(), regions, account, upcalls);
        this.transmitter = new Transmitter(config, inbound.rdmap(), rnic.scratch(), rnic.streams());
        this.deadline = new Deadline(link);
        StreamDeadlines deadlines = new StreamDeadlines(link, config, transmitter, deadline);
        SharedResources shared = new SharedResources(rnic, limits, regions, inbound.receives(), upcalls);
        ConnectionTerms terms = new ConnectionTerms();
        this.life =
                new StreamLife(link, config, regions, shared, inbound, transmitter, upcalls, terms, deadlines, counts);
        this.turns = new Turns(link, life, transmitter, upcalls);
        this.queuePair = new LocalQueuePair(
                link,
                limits.sendQueueDepth(),
                regions,
                inbound.receives(),
                transmitter.work(),
                terms,
                life,
                turns,
                upcalls);
        this.start = new StreamStart(
                queuePair, link, config, shared, inbound, transmitter, life, turns, upcalls, terms, deadlines, role);
    }

    /** A queue pair for a connection that a peer has opened. */
    public static QueuePairMachine responder(
            QueuePairLink link, QueuePairConfig config, LocalRnic rnic, ConnectionRequestHandler decider) {
        return new QueuePairMachine(link, config, rnic, new Role.Responder(decider));
    }

    /**
     * A queue pair for a connection to be opened by us; calls {@link QueuePairHandler#created} at once. Until
     * {@link #start} it waits for its link.
     */
    public static QueuePairMachine initiator(
            QueuePairLink link,
            QueuePairConfig config,
            LocalRnic rnic,
            ConnectOptions options,
            QueuePairHandler handler) {
        QueuePairMachine machine = new QueuePairMachine(link, config, rnic, new Role.Initiator(options, handler));
        machine.turns.enter(() -> handler.created(machine.queuePair));
        return machine;
    }

    // What the environment calls.

    /** The link is up. */
    public void start() {
        life.begin();
        turns.enter(start::begin);
    }

    /** The machine has a new link, which is not up yet ({@link QueuePairLink#reconnect}). */
    public void relink(QueuePairLink next) {
        link.replace(next);
    }

    /** Bytes have arrived: position to limit, consumed before this returns. */
    public void received(ByteBuffer in) {
        turns.enter(() -> {
            try {
                while (in.hasRemaining() && life.state().receiving()) {
                    if (life.state() == StreamState.STARTUP) {
                        start.received(in);
                    } else {
                        inbound.advance(in);
                    }
                }
            } finally {
                countArrived();
            }
            if (in.hasRemaining() && life.state() == StreamState.HALF_CLOSED) {
                life.receivedBehindEnd();
            }
            in.position(in.limit());
        });
    }

    /** Once for all bytes that came together: a counter that others read costs more than one of our own. */
    private void countArrived() {
        int arrived = inbound.takeFpdusArrived();
        if (arrived > 0) {
            counts.received(arrived);
        }
    }

    /** The peer has ended its direction of the stream. */
    public void receivedEnd() {
        turns.enter(() -> {
            if (!start.fallsBack()) {
                life.peerEndedStream();
            }
        });
    }

    /** The connection is gone, for whatever reason; the last call of this link. */
    public void linkClosed() {
        linkLost("the connection was closed");
    }

    /** The connection is gone, and this is why, as far as we did not know already; the last call of this link. */
    public void linkLost(String detail) {
        turns.enter(() -> {
            if (!start.fallsBack()) {
                life.linkLost(detail);
            }
        });
    }

    /** True from when both directions were opened, also after the end. */
    public boolean established() {
        return life.established();
    }

    /** Whether nothing is under way: nobody would miss the connection if it were opened again when it is needed. */
    public boolean idle() {
        return life.state() == StreamState.OPEN
                && !life.draining()
                && transmitter.work().incompleteCount() == 0
                && transmitter.idle()
                && upcalls.upperLayerIdle(life::bug);
    }

    /**
     * Counts what has been of use: messages that arrived whole, requests of the peer's, and work of ours that is done.
     */
    public long uses() {
        return uses + transmitter.work().completedCount();
    }

    /** When {@link #deadlinePassed} is to be called. */
    public OptionalLong deadlineNanos() {
        return deadline.atNanos();
    }

    /** It is {@link #deadlineNanos()} or later. */
    public void deadlinePassed() {
        turns.enter(() -> {
            if (deadline.passed()) {
                life.timedOut();
            }
        });
    }

    /** The next bytes to write, together; null if there are none now. */
    public @Nullable FpduBatch pull() {
        FpduBatch batch = pullOrFail();
        if (batch == null) {
            start.outputDone();
            life.nothingPulled();
        } else {
            life.batchPulled(transmitter.carriesWork(batch));
        }
        // Work that sends nothing is done by being pulled.
        life.completeWork();
        turns.leaveLater();
        return batch;
    }

    /** A fault ends the stream, perhaps with a Terminate, which is then what is pulled. */
    private @Nullable FpduBatch pullOrFail() {
        for (int faults = 0; faults <= MAX_PULL_FAULTS; faults++) {
            try {
                return transmitter.pull();
            } catch (RdmapViolation violation) {
                life.terminate(violation);
            } catch (RuntimeException | Error e) {
                life.bug(e);
            }
        }
        return null;
    }

    /** A batch has been taken by the socket, whose buffers may change again. */
    public void sent(FpduBatch batch) {
        turns.enter(() -> {
            if (life.state() != StreamState.CLOSED) {
                transmitter.sent(batch);
                life.batchSent();
            }
        });
    }

    /** Ends the connection at once: the environment is about to go away. */
    public void abort(String why) {
        life.end(Cause.LOCAL_CLOSE, why, StreamLife.Ending.CLOSE);
        turns.leaveSoon();
    }

    /** What arrives, taken to the parts that it concerns. */
    private final class Arrivals implements InboundEvents {
        @Override
        public boolean expects(RtrKind kind) {
            return start.expects(kind);
        }

        @Override
        public void fpduArrived() {
            start.fpduArrived();
        }

        @Override
        public void received(Completion completion) {
            uses++;
            upcalls.completed(completion);
        }

        @Override
        public void requested(Answer answer) {
            uses++;
            transmitter.answer(answer);
            transmitter.want();
        }

        @Override
        public void readCompleted() {
            transmitter.work().readCompleted();
            workMayBeDone();
        }

        @Override
        public void atomicCompleted(long originalValue) {
            transmitter.work().atomicCompleted(originalValue);
            workMayBeDone();
        }

        private void workMayBeDone() {
            life.completeWork();
            transmitter.want();
        }

        @Override
        public void peerTerminated(TerminateHeader header, String rawHex) {
            life.peerTerminated(header, rawHex);
        }
    }
}
