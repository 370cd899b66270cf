package org.warpnfs.iwarp.qp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.memory.StagSource;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/**
 * One queue pair as a machine: bytes and events in, bytes and completions out.
 *
 * <h2>Operation</h2>
 *
 * The environment calls {@link #start}, {@link #received}, {@link #receivedEnd}, {@link #linkClosed} and {@link
 * #deadlinePassed} as things happen, writes what {@link #pull} gives and reports each batch by {@link #sent}. The upper layer
 * is called at the end of such a call, never from within one of its own.
 *
 * <pre>
 * state       event                                  next        what happens
 * STARTUP     frames exchanged, as responder         WAIT_FIRST  reply leaves
 *             frames exchanged, as initiator         OPEN        RTR leaves in peer-to-peer mode; established
 *             bad frame, end or loss of the stream   ENDING      the connection is closed
 *             deadline                               ENDING      the connection is closed
 * WAIT_FIRST  the first FPDU is whole                OPEN        established
 * WAIT_FIRST, violation                              ENDING      Terminate leaves, our direction ends
 * OPEN        Terminate from the peer, end of stream ENDING      our direction ends
 *             disconnect(), once all work is done    ENDING      our direction ends
 *             abort(), loss of the stream, bug       ENDING      the connection is closed
 * ENDING      the socket holds none of our buffers   LINGERING   outstanding work is flushed; disconnected
 *             deadline                               ENDING      the connection is closed
 * LINGERING   end of the peer's stream, deadline     LINGERING   the connection is closed
 * any         linkClosed()                           CLOSED      as from ENDING to LINGERING, if that is still to do
 * </pre>
 *
 * Bytes that arrive in the last three states are thrown away. So nothing is sent after a Terminate, none is ever answered, and
 * ours has time to reach the peer, which a close with unread bytes would deny it.
 *
 * <h2>Buffers</h2>
 *
 * As {@link QueuePair} says. Regions are invalid as soon as ENDING begins; the buffers of work come back when the socket has
 * let go of them.
 *
 * <h2>Errors</h2>
 *
 * The peer's end in ENDING with a Terminate. Ours, and the upper layer's, are reported to the link and end this one
 * connection.
 */
public final class QueuePairMachine {
    private enum State {
        STARTUP,
        WAIT_FIRST,
        OPEN,
        ENDING,
        LINGERING,
        CLOSED
    }

    private final QueuePairLink link;
    private final QueuePairConfig config;
    private final RegionTable regions;
    private final InboundStream inbound;
    private final Transmitter transmitter;
    private final Startup startup;
    private final LocalQueuePair queuePair;

    private final Upcalls upcalls;

    private State state = State.STARTUP;
    private @Nullable SendWork culprit;
    private @Nullable ConnectionParameters parameters;
    private @Nullable MpaAgreement agreement;
    private @Nullable DisconnectReason reason;
    private OptionalLong deadlineNanos = OptionalLong.empty();
    private boolean closeAfterReply;
    private boolean draining;
    private boolean peerEnded;
    private boolean outputWanted;
    private boolean upcalling;

    private QueuePairMachine(
            QueuePairLink link,
            QueuePairConfig config,
            StagSource stags,
            @Nullable ConnectionRequestHandler decider,
            @Nullable ConnectOptions options,
            @Nullable QueuePairHandler handler) {
        this.link = link;
        this.config = config;
        this.regions = new RegionTable(stags, config.maxRegions());
        this.inbound = new InboundStream(this, regions);
        this.transmitter = new Transmitter(config, inbound.rdmap());
        this.queuePair = new LocalQueuePair(this, link, config, regions, inbound, transmitter);
        this.upcalls = new Upcalls(queuePair, handler, this::bug);
        if (decider != null) {
            this.startup = new ResponderStartup(this, config, decider);
        } else if (options != null) {
            this.startup = new InitiatorStartup(this, config, options);
        } else {
            throw new IllegalArgumentException("neither responder nor initiator");
        }
    }

    /** A queue pair for a connection that a peer has opened. */
    public static QueuePairMachine responder(
            QueuePairLink link, QueuePairConfig config, StagSource stags, ConnectionRequestHandler decider) {
        return new QueuePairMachine(link, config, stags, decider, null, null);
    }

    /**
     * A queue pair for a connection to be opened by us; calls {@link QueuePairHandler#created} at once. Until {@link #start} it
     * waits for its link.
     */
    public static QueuePairMachine initiator(
            QueuePairLink link,
            QueuePairConfig config,
            StagSource stags,
            ConnectOptions options,
            QueuePairHandler handler) {
        QueuePairMachine machine = new QueuePairMachine(link, config, stags, null, options, handler);
        machine.enter(() -> handler.created(machine.queuePair));
        return machine;
    }

    // What the environment calls.

    /** The link is up. */
    public void start() {
        enter(() -> {
            if (state != State.STARTUP) {
                return;
            }
            setDeadline(config.startupTimeoutNanos());
            if (startup instanceof InitiatorStartup initiator) {
                sendFrame(initiator.request());
            }
        });
    }

    /** Bytes have arrived: position to limit, consumed before this returns. */
    public void received(ByteBuffer in) {
        enter(() -> {
            while (in.hasRemaining() && receiving()) {
                if (state == State.STARTUP) {
                    startup.received(in);
                } else {
                    inbound.advance(in);
                }
            }
            in.position(in.limit());
        });
    }

    /** The peer has ended its direction of the stream. */
    public void receivedEnd() {
        enter(() -> {
            peerEnded = true;
            switch (state) {
                case STARTUP -> end(Cause.CONNECTION_LOST, "the peer closed during startup", Ending.CLOSE);
                case WAIT_FIRST, OPEN -> peerEndedStream();
                case ENDING -> {}
                case LINGERING -> link.close();
                case CLOSED -> {}
            }
        });
    }

    private void peerEndedStream() {
        if (inbound.atBoundary()) {
            end(draining ? Cause.LOCAL_CLOSE : Cause.PEER_CLOSE, "the peer closed the connection", Ending.QUIET);
        } else {
            end(Cause.CONNECTION_LOST, "the stream ended inside a message", Ending.CLOSE);
        }
    }

    /** The connection is gone, for whatever reason; the last call. */
    public void linkClosed() {
        linkLost("the connection was closed");
    }

    /** The connection is gone, and this is why, as far as we did not know already; the last call. */
    public void linkLost(String detail) {
        enter(() -> {
            if (state != State.CLOSED) {
                end(Cause.CONNECTION_LOST, detail, Ending.LINK_GONE);
                finish();
                state = State.CLOSED;
                clearDeadline();
            }
        });
    }

    /** True until the startup frames have been exchanged, or that has failed. */
    public boolean startingUp() {
        return state == State.STARTUP;
    }

    /** When {@link #deadlinePassed} is to be called. */
    public OptionalLong deadlineNanos() {
        return deadlineNanos;
    }

    /** It is {@link #deadlineNanos()} or later. */
    public void deadlinePassed() {
        enter(() -> {
            if (deadlineNanos.isEmpty() || link.nowNanos() - deadlineNanos.getAsLong() < 0) {
                return;
            }
            clearDeadline();
            if (state == State.STARTUP) {
                end(Cause.TIMEOUT, "no MPA startup within " + config.startupTimeoutNanos() + " ns", Ending.CLOSE);
            } else {
                end(Cause.LOCAL_CLOSE, "posted work did not leave in time", Ending.CLOSE);
                link.close();
            }
        });
    }

    /** The next bytes to write, together; null if there are none now. */
    public @Nullable FpduBatch pull() {
        try {
            FpduBatch batch = transmitter.pull();
            if (batch == null && closeAfterReply && transmitter.idle()) {
                closeAfterReply = false;
                link.endOutput();
            }
            return batch;
        } catch (RdmapViolation violation) {
            terminate(violation);
            return pull();
        } catch (RuntimeException e) {
            bug(e);
            return null;
        }
    }

    /** A batch has been taken by the socket, whose buffers may change again. */
    public void sent(FpduBatch batch) {
        enter(() -> {
            if (state == State.CLOSED) {
                return;
            }
            transmitter.sent(batch);
            completeWork();
            outputWanted = true;
            if (state == State.ENDING && transmitter.idle()) {
                finish();
            }
        });
    }

    // What the startup calls.

    InetSocketAddress remoteAddress() {
        return link.remoteAddress();
    }

    private void sendFrame(MpaFrame frame) {
        ByteBuffer bytes = ByteBuffer.allocate(frame.lengthBytes());
        frame.encode(bytes);
        transmitter.sendRaw(bytes.flip());
        outputWanted = true;
    }

    /** As responder: we accept. */
    void accepted(MpaFrame reply, MpaAgreement agreed, ByteBuffer peerPrivateData, QueuePairHandler upperLayer) {
        if (state != State.STARTUP) {
            throw new IllegalStateException("the connection ended before its request was answered");
        }
        upcalls.setHandler(upperLayer);
        agree(agreed, peerPrivateData);
        state = State.WAIT_FIRST;
        clearDeadline();
        upperLayer.created(queuePair);
        if (state == State.WAIT_FIRST) {
            sendFrame(reply);
        }
        leaveSoon();
    }

    /** As responder: we refuse. */
    void refuse(MpaFrame reply, String why) {
        if (state != State.STARTUP) {
            return;
        }
        // The reply is all that the peer hears; what it sends from now on is thrown away.
        reason = new DisconnectReason(Cause.REJECTED, why);
        state = State.LINGERING;
        closeAfterReply = true;
        setDeadline(config.closeTimeoutNanos());
        sendFrame(reply);
        leaveSoon();
    }

    /** As initiator: the peer accepts. */
    void concluded(MpaAgreement agreed, ByteBuffer peerPrivateData) {
        agree(agreed, peerPrivateData);
        clearDeadline();
        open();
        if (agreed.rtr() == RtrKind.FPDU) {
            transmitter.sendEmptyFpdu();
        } else if (agreed.rtr() == RtrKind.WRITE) {
            transmitter.sendFirst(RdmapSender.write(0, 0, List.of()));
        }
    }

    /** As initiator: the peer refuses. */
    void rejected(ByteBuffer peerPrivateData) {
        end(
                Cause.REJECTED,
                "the peer rejected the connection with " + peerPrivateData.remaining() + " bytes of private data",
                Ending.CLOSE);
    }

    private void agree(MpaAgreement agreed, ByteBuffer peerPrivateData) {
        agreement = agreed;
        parameters = new ConnectionParameters(
                link.localAddress(), link.remoteAddress(), peerPrivateData, agreed.ird(), agreed.ord(), agreed.crc());
        inbound.open(agreed.crc(), agreed.ird());
    }

    private void open() {
        state = State.OPEN;
        MpaAgreement agreed = agreement;
        if (agreed != null) {
            transmitter.open(agreed.crc(), agreed.ord());
        }
        upcalls.established();
        outputWanted = true;
        if (agreed != null && agreed.ord() == 0 && transmitter.hasReads()) {
            // It was posted before anybody could know; now it could only wait for ever, and all behind it.
            end(Cause.REJECTED, "a Read is posted, but the peer holds none: ORD is 0", Ending.QUIET);
        }
    }

    // How it ends.

    private enum Ending {
        /** The Terminate that was given to the transmitter leaves, then our direction ends. */
        TERMINATE,
        /** Our direction ends. */
        QUIET,
        /** The connection is closed. */
        CLOSE,
        /** It is closed already. */
        LINK_GONE
    }

    private void terminate(ProtocolViolation violation) {
        boolean framing = state == State.WAIT_FIRST || state == State.OPEN;
        boolean refusingReply = violation instanceof MpaViolation mpa
                && (mpa.error() == MpaError.INSUFFICIENT_IRD || mpa.error() == MpaError.NO_MATCHING_RTR);
        if (!framing && !refusingReply) {
            end(Cause.REJECTED, violation.detail(), Ending.CLOSE);
            return;
        }
        inbound.failReceive(violation);
        if (inbound.blamesRead(violation)) {
            culprit = transmitter.oldestRead();
        }
        boolean crc = agreement != null && agreement.crc();
        if (state != State.OPEN) {
            transmitter.open(crc, 0);
        }
        transmitter.terminate(RdmapSender.terminate(inbound.terminateHeader(violation)));
        end(Cause.LOCAL_TERMINATE, violation.detail(), Ending.TERMINATE);
    }

    private void end(Cause cause, String detail, Ending ending) {
        if (reason != null) {
            return;
        }
        reason = new DisconnectReason(cause, detail);
        state = State.ENDING;
        regions.invalidateAll();
        inbound.flushReceives();
        if (ending != Ending.TERMINATE) {
            transmitter.stop();
        }
        if (ending == Ending.LINK_GONE) {
            return;
        }
        setDeadline(config.closeTimeoutNanos());
        if (ending == Ending.CLOSE) {
            link.close();
        } else if (transmitter.idle()) {
            finish();
        } else {
            outputWanted = true;
        }
    }

    /** No buffer of ours is referred to any more: tells the upper layer that it is over. */
    private void finish() {
        if (state != State.ENDING) {
            return;
        }
        state = State.LINGERING;
        for (SendWork work = transmitter.pollIncomplete(); work != null; work = transmitter.pollIncomplete()) {
            upcalls.completed(
                    work.completion(work == culprit ? CompletionStatus.REMOTE_ERROR : CompletionStatus.FLUSHED));
        }
        if (reason != null) {
            upcalls.disconnected(reason);
        }
        link.endOutput();
        if (peerEnded) {
            link.close();
        }
    }

    private void bug(Throwable error) {
        link.internalError(error);
        end(Cause.INTERNAL_ERROR, String.valueOf(error), Ending.CLOSE);
    }

    private void setDeadline(long inNanos) {
        deadlineNanos = OptionalLong.of(link.nowNanos() + inNanos);
        link.deadlineChanged();
    }

    private void clearDeadline() {
        deadlineNanos = OptionalLong.empty();
        link.deadlineChanged();
    }

    // Entering and leaving.

    /** What may be done in one call of the environment's. */
    @FunctionalInterface
    private interface Entry {
        void run() throws ProtocolViolation;
    }

    private void enter(Entry entry) {
        try {
            entry.run();
        } catch (ProtocolViolation violation) {
            terminate(violation);
        } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
            bug(e);
        }
        leave();
    }

    /** Tells the upper layer what there is to tell and sends what there is to send, until neither leads to more. */
    private void leave() {
        if (upcalling) {
            return;
        }
        upcalling = true;
        try {
            do {
                upcalls.deliver();
                drainIfDone();
                if (outputWanted) {
                    outputWanted = false;
                    link.outputReady();
                }
            } while (outputWanted || !upcalls.isEmpty());
        } finally {
            upcalling = false;
        }
    }

    /** The upper layer has called: we go on later, unless we are about to anyway. */
    private void leaveSoon() {
        if (!upcalling) {
            link.execute(this::leave);
        }
    }

    /** The upper layer has called and there is something to tell it: later, unless it is being told already. */
    void leaveLater() {
        if (!upcalling && !upcalls.isEmpty()) {
            link.execute(this::leave);
        }
    }

    private boolean receiving() {
        return state == State.STARTUP || state == State.WAIT_FIRST || state == State.OPEN;
    }

    private void completeWork() {
        for (Completion done = transmitter.pollCompleted(); done != null; done = transmitter.pollCompleted()) {
            upcalls.completed(done);
        }
    }

    private void drainIfDone() {
        boolean framing = state == State.OPEN || state == State.WAIT_FIRST;
        if (draining && framing && transmitter.incompleteCount() == 0 && transmitter.idle()) {
            end(Cause.LOCAL_CLOSE, "disconnected by us", Ending.QUIET);
        }
    }

    // What the upper layer's side asks.

    boolean connected() {
        return state == State.OPEN && !draining;
    }

    @Nullable
    ConnectionParameters parameters() {
        return parameters;
    }

    /** Whether nothing more is received or sent. */
    boolean ended() {
        return state == State.ENDING || state == State.LINGERING || state == State.CLOSED;
    }

    /** Takes work that is not to be done any more. */
    void flushWork(SendWork work) {
        transmitter.postFlushed(work);
        if (state != State.ENDING) {
            completeWork();
            leaveLater();
        }
    }

    boolean draining() {
        return draining;
    }

    /** Sends what there is to send, now. */
    void flush() {
        if (upcalling) {
            outputWanted = true;
            return;
        }
        upcalling = true;
        try {
            link.outputReady();
        } finally {
            upcalling = false;
        }
        leaveLater();
    }

    void execute(Runnable task) {
        link.execute(() -> {
            upcalling = true;
            try {
                task.run();
            } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
                bug(e);
            } finally {
                upcalling = false;
            }
            leave();
        });
    }

    void disconnect() {
        if (ended() || draining) {
            return;
        }
        draining = true;
        if (state == State.STARTUP) {
            end(Cause.LOCAL_CLOSE, "disconnected by us before it was established", Ending.CLOSE);
        } else {
            setDeadline(config.closeTimeoutNanos());
            outputWanted = true;
        }
        leaveSoon();
    }

    /** Ends the connection at once, as {@link org.warpnfs.iwarp.verbs.QueuePair#abort} does; also for the environment. */
    public void abort(String why) {
        end(Cause.LOCAL_CLOSE, why, Ending.CLOSE);
        leaveSoon();
    }

    // What the inbound stream brings.

    /** The first FPDU is whole, if that is what we wait for. */
    void fpduArrived() {
        if (state == State.WAIT_FIRST) {
            open();
        }
    }

    /** Whether an FPDU without a ULPDU would be the RTR that was agreed on. */
    boolean expectsEmptyFpdu() {
        return state == State.WAIT_FIRST && agreement != null && agreement.rtr() == RtrKind.FPDU;
    }

    void received(Completion completion) {
        upcalls.completed(completion);
    }

    void readRequested(ReadAnswer answer) {
        transmitter.answer(answer);
        outputWanted = true;
    }

    void readCompleted() {
        transmitter.readCompleted();
        completeWork();
        outputWanted = true;
    }

    void peerTerminated(TerminateHeader header, String rawHex) {
        if (header.readRequest().hasRemaining()) {
            culprit = transmitter.oldestRead();
        }
        end(Cause.PEER_TERMINATE, header.error() + ", raw " + rawHex, Ending.QUIET);
    }
}
