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
 * One queue pair as a deterministic state machine: bytes and events in, bytes and completions out.
 *
 * <h2>Operation</h2>
 *
 * The environment calls {@link #start}, {@link #received}, {@link #receivedEnd}, {@link #linkClosed} and
 * {@link #deadlinePassed} when these events occur. It writes the batches that {@link #pull} returns and reports each by
 * {@link #sent}. The upper layer is called at the end of such a call, never from within one of its own calls.
 *
 * <p>The parts. Each knows only those above it:
 *
 * <pre>
 * Upcalls          the pending calls to the upper layer
 * InboundStream    what arrives; reports it through InboundEvents
 * Transmitter      what is sent
 * StreamEnd        what happens at the end of the stream
 * StreamLife       the states of the stream, and why it ends
 * Turns            the order of calls, so that nothing is called while it calls
 * LocalQueuePair   the queue pair as the upper layer sees it
 * StreamStart      how the stream begins
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * See {@link org.warpnfs.iwarp.verbs.QueuePair}.
 *
 * <h2>Errors</h2>
 *
 * A violation of the peer ends the stream with a Terminate. A defect of ours or of the upper layer is reported to the
 * link and ends this connection only.
 */
public final class QueuePairMachine {
    /** One fault in a message, and one more in the Terminate that reports it. */
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

    /** Creates a queue pair for a connection that a peer has opened. */
    public static QueuePairMachine responder(
            QueuePairLink link, QueuePairConfig config, LocalRnic rnic, ConnectionRequestHandler decider) {
        return new QueuePairMachine(link, config, rnic, new Role.Responder(decider));
    }

    /**
     * Creates a queue pair for a connection that we open. Calls {@link QueuePairHandler#created} at once. The queue
     * pair waits for {@link #start}.
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

    /** Gives the machine a new link, which is not up yet ({@link QueuePairLink#reconnect}). */
    public void relink(QueuePairLink next) {
        link.replace(next);
    }

    /** Bytes have arrived. They are consumed, from position to limit, before this returns. */
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

    /** Counts once for all bytes of a call, because a counter that other threads read costs more than a private one. */
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

    /** The connection is gone, for whatever reason. This is the last call of this link. */
    public void linkClosed() {
        linkLost("the connection was closed");
    }

    /**
     * The connection is gone. The detail is the reason, used if none is known yet. This is the last call of this link.
     */
    public void linkLost(String detail) {
        turns.enter(() -> {
            if (!start.fallsBack()) {
                life.linkLost(detail);
            }
        });
    }

    /** True once both directions have been opened, also after the end. */
    public boolean established() {
        return life.established();
    }

    /** Whether nothing is in progress, so that the connection could be closed and opened again when needed. */
    public boolean idle() {
        return life.state() == StreamState.OPEN
                && !life.draining()
                && transmitter.work().incompleteCount() == 0
                && transmitter.idle()
                && upcalls.upperLayerIdle(life::bug);
    }

    /**
     * The number of useful events: complete messages that arrived, requests of the peer, and completed work of ours.
     */
    public long uses() {
        return uses + transmitter.work().completedCount();
    }

    /** The time at which {@link #deadlinePassed} is to be called. */
    public OptionalLong deadlineNanos() {
        return deadline.atNanos();
    }

    /** The clock has reached {@link #deadlineNanos()}. */
    public void deadlinePassed() {
        turns.enter(() -> {
            if (deadline.passed()) {
                life.timedOut();
            }
        });
    }

    /**
     * TCP sends so many bytes in one segment (EMSS). FPDUs fit it from the next batch on. Without this call they have
     * the length of {@link QueuePairConfig#mulpduBytes}.
     */
    public void fitSegments(int segmentBytes) {
        transmitter.fitSegments(segmentBytes);
    }

    /** The longest FPDU that is made now, with its markers, in bytes. */
    public int fpduBytes() {
        return transmitter.fpduBytes();
    }

    /** The next batch to write; null if there is none now. */
    public @Nullable FpduBatch pull() {
        FpduBatch batch = pullOrFail();
        if (batch == null) {
            start.outputDone();
            life.nothingPulled();
        } else {
            life.batchPulled(transmitter.carriesWork(batch));
        }
        // Work that sends nothing is complete once it has been pulled.
        life.completeWork();
        turns.leaveLater();
        return batch;
    }

    /** Pulls. A fault ends the stream. If that makes a Terminate, the Terminate is pulled. */
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

    /** The socket has taken a batch, so its buffers may change again. */
    public void sent(FpduBatch batch) {
        turns.enter(() -> {
            if (life.state() != StreamState.CLOSED) {
                transmitter.sent(batch);
                life.batchSent();
            }
        });
    }

    /** Ends the connection at once, because the environment shuts down. */
    public void abort(String why) {
        life.end(Cause.LOCAL_CLOSE, why, StreamEnd.Ending.CLOSE);
        turns.leaveSoon();
    }

    /** Distributes inbound events to the parts that they concern. */
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
