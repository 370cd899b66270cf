package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/**
 * One queue pair as a machine: bytes and events in, bytes and completions out.
 *
 * <h2>Operation</h2>
 *
 * The environment calls {@link #start}, {@link #received}, {@link #receivedEnd}, {@link #linkClosed} and {@link
 * #deadlinePassed} as things happen, writes what {@link #pull} gives and reports each batch by {@link #sent}. The upper layer
 * is called at the end of such a call, never from within one of its own.
 *
 * <p>The parts: {@link StreamStart} and {@link StreamLife} know how it begins and ends, {@link InboundStream} what arrives, {@link
 * Transmitter} what leaves, {@link LocalQueuePair} is what the upper layer holds, {@link Turns} keeps them from calling each
 * other in circles.
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
    private final LocalQueuePair queuePair;
    private final Turns turns;
    private final Deadline deadline;
    private final StreamLife life;
    private final StreamStart start;
    private final StreamCounts counts;
    private long uses;

    private QueuePairMachine(
            QueuePairLink firstLink,
            QueuePairConfig config,
            LocalRnic rnic,
            @Nullable ConnectionRequestHandler decider,
            @Nullable ConnectOptions options,
            @Nullable QueuePairHandler handler) {
        this.link = new CurrentLink(firstLink);
        QueuePairLimits limits = config.limits();
        RegionTable regions = new RegionTable(
                rnic.registry(),
                rnic.stags(),
                limits.regions(),
                rnic.registeredBytes(limits.registeredBytes()),
                link::inOwnerThread);
        ReceiveAccount receives = new ReceiveAccount(rnic, limits.receiveQueueDepth(), limits.receiveBytes());
        this.counts = rnic.streams();
        this.inbound = new InboundStream(this, regions, receives);
        this.transmitter = new Transmitter(config, inbound.rdmap(), rnic.scratch(), rnic.streams());
        this.queuePair = new LocalQueuePair(this, link, config, regions, inbound, transmitter);
        this.turns = new Turns(this, link, new Upcalls(queuePair, handler, this::bug));
        this.deadline = new Deadline(link);
        SharedResources shared = new SharedResources(rnic, limits, regions, inbound, queuePair, turns);
        StreamDeadlines deadlines = new StreamDeadlines(link, config, transmitter, deadline);
        this.life = new StreamLife(link, config, regions, shared, inbound, transmitter, turns, deadlines, counts);
        this.start = new StreamStart(
                queuePair, link, config, shared, inbound, transmitter, life, turns, deadlines, decider, options);
    }

    /** A queue pair for a connection that a peer has opened. */
    public static QueuePairMachine responder(
            QueuePairLink link, QueuePairConfig config, LocalRnic rnic, ConnectionRequestHandler decider) {
        return new QueuePairMachine(link, config, rnic, decider, null, null);
    }

    /**
     * A queue pair for a connection to be opened by us; calls {@link QueuePairHandler#created} at once. Until {@link #start} it
     * waits for its link.
     */
    public static QueuePairMachine initiator(
            QueuePairLink link,
            QueuePairConfig config,
            LocalRnic rnic,
            ConnectOptions options,
            QueuePairHandler handler) {
        QueuePairMachine machine = new QueuePairMachine(link, config, rnic, null, options, handler);
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
                && turns.upperLayerIdle();
    }

    /** Counts what has been of use: messages that arrived whole, requests of the peer's, and work of ours that is done. */
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

    // What the turns find.

    void terminate(ProtocolViolation violation) {
        life.terminate(violation);
    }

    void bug(Throwable error) {
        life.bug(error);
    }

    void drainIfDone() {
        life.drainIfDone();
    }

    // What the upper layer's side asks.

    boolean connected() {
        return life.state() == StreamState.OPEN && !life.draining();
    }

    @Nullable
    ConnectionParameters parameters() {
        return start.parameters();
    }

    /** What of RFC 7306 this end does. */
    Set<RdmaExtension> extensions() {
        return start.extensions();
    }

    /** Whether nothing more is received or sent. */
    boolean ended() {
        return life.state().ended();
    }

    /** Whether messages may arrive, now or later. */
    boolean receiving() {
        return life.state().receiving();
    }

    boolean draining() {
        return life.draining();
    }

    /** Whether the upper layer has heard of all work that is complete. */
    boolean workTold() {
        return turns.workTold();
    }

    /** Takes work that is not to be done any more. */
    void flushWork(SendWork work) {
        life.flushWork(work);
    }

    /** Sends what there is to send, now. */
    void flush() {
        turns.flush();
    }

    /** The upper layer has called and there may be something to tell it. */
    void leaveLater() {
        turns.leaveLater();
    }

    void execute(Runnable task) {
        turns.execute(task);
    }

    void terminate(String why) {
        life.abort(why);
        turns.leaveSoon();
    }

    void disconnect() {
        if (!life.state().ended() && !life.draining()) {
            life.disconnect();
            turns.leaveSoon();
        }
    }

    // What the inbound stream brings.

    /** An FPDU is whole, the first perhaps. */
    void fpduArrived() {
        start.fpduArrived();
    }

    /** Whether such an RTR may open the stream. */
    boolean expects(RtrKind kind) {
        return start.expects(kind);
    }

    void received(Completion completion) {
        uses++;
        turns.completed(completion);
    }

    void requested(Answer answer) {
        uses++;
        transmitter.answer(answer);
        turns.wantOutput();
    }

    void readCompleted() {
        transmitter.work().readCompleted();
        life.completeWork();
        turns.wantOutput();
    }

    void atomicCompleted(long originalValue) {
        transmitter.work().atomicCompleted(originalValue);
        life.completeWork();
        turns.wantOutput();
    }

    void peerTerminated(TerminateHeader header, String rawHex) {
        life.peerTerminated(header, rawHex);
    }
}
