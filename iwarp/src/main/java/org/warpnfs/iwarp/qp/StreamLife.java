package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.Rejection;

/**
 * The states of a stream from its startup to its end, and all the ways in which it ends.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * state       event                                  next        what happens
 * STARTUP     frames exchanged, as responder         WAIT_FIRST  reply leaves
 *             frames exchanged, as initiator         OPEN        RTR leaves in peer-to-peer mode; established
 *             bad frame, end or loss of the stream   ENDING      the connection is closed
 *             deadline                               ENDING      the connection is closed
 * WAIT_FIRST  the first FPDU is whole                OPEN        established
 *             deadline                               ENDING      the connection is closed
 * WAIT_FIRST, violation                              ENDING      Terminate leaves, our direction ends
 * OPEN        no message behind the RTR in time      ENDING      the connection is closed
 *             end of the peer's stream               HALF_CLOSED receives and requests are flushed; halfClosed
 *             Terminate from the peer                ENDING      our direction ends
 * OPEN or     disconnect(), once all work is done    ENDING      our direction ends
 * HALF_CLOSED bug, abort()                           ENDING      Terminate leaves, our direction ends
 *             loss of the stream                     ENDING      the connection is closed
 *             deadline                               ENDING      the connection is closed
 * ENDING      the socket holds none of our buffers   LINGERING   outstanding work is flushed; disconnected
 *             deadline                               ENDING      the connection is closed
 * LINGERING   end of the peer's stream, deadline     LINGERING   the connection is closed
 * any         linkClosed()                           CLOSED      as from ENDING to LINGERING, if that is still to do
 * </pre>
 *
 * The deadline of parting is set when the upper layer wants to part and all along HALF_CLOSED while anything is under
 * way. It begins anew as long as the peer takes work of ours at the least rate: what was posted leaves however long it
 * takes, but not to a peer that reads next to nothing ({@link StreamDeadlines}).
 *
 * <p>Bytes that arrive in the last three states are thrown away. So nothing is sent after a Terminate, none is ever
 * answered, and ours has time to reach the peer, which a close with unread bytes would deny it.
 *
 * <h2>Buffers</h2>
 *
 * Regions are invalid as soon as ENDING begins; the buffers of work come back when the socket has let go of them.
 *
 * <h2>Errors</h2>
 *
 * Only the first reason counts: what happens while a stream ends changes nothing about why.
 */
final class StreamLife {
    private final QueuePairLink link;
    private final QueuePairConfig config;
    private final RegionTable regions;
    private final SharedResources shared;
    private final InboundStream inbound;
    private final Transmitter transmitter;
    private final Upcalls upcalls;
    private final ConnectionTerms terms;
    private final StreamDeadlines deadlines;
    private final StreamCounts counts;

    private StreamState state = StreamState.STARTUP;
    /** What is counted of it; null before it begins and once it is gone. */
    private @Nullable StreamPhase phase;

    private @Nullable DisconnectReason reason;
    private @Nullable SendWork culprit;
    private CompletionStatus culpritStatus = CompletionStatus.REMOTE_ERROR;
    private boolean draining;
    private boolean peerEnded;
    private boolean established;

    /** As responder: whether an RTR is promised that opens the stream. */
    private boolean rtrAwaited;

    /** Who was the first to want to part, while the stream goes on. */
    private @Nullable DisconnectReason parting;

    StreamLife(
            QueuePairLink link,
            QueuePairConfig config,
            RegionTable regions,
            SharedResources shared,
            InboundStream inbound,
            Transmitter transmitter,
            Upcalls upcalls,
            ConnectionTerms terms,
            StreamDeadlines deadlines,
            StreamCounts counts) {
        this.link = link;
        this.config = config;
        this.regions = regions;
        this.shared = shared;
        this.inbound = inbound;
        this.transmitter = transmitter;
        this.upcalls = upcalls;
        this.terms = terms;
        this.deadlines = deadlines;
        this.counts = counts;
    }

    StreamState state() {
        return state;
    }

    private void become(StreamState next) {
        become(next, StreamPhase.of(next));
    }

    private void become(StreamState next, @Nullable StreamPhase shown) {
        state = next;
        counts.moved(phase, shown);
        phase = shown;
    }

    /** Whether both directions were ever open. */
    boolean established() {
        return established;
    }

    /** Whether the upper layer wants no more work done than it has posted. */
    boolean draining() {
        return draining;
    }

    // How it begins.

    /** The link is up, for the first time or once more. */
    void begin() {
        if (phase == null && state == StreamState.STARTUP) {
            become(StreamState.STARTUP);
        }
    }

    /**
     * As responder: the reply may leave, and nothing else before the first FPDU.
     *
     * @param rtrPromised whether the initiator has said that it comes at once: it is part of the startup then
     */
    void waitForFirst(boolean rtrPromised) {
        become(StreamState.WAIT_FIRST);
        rtrAwaited = rtrPromised;
        if (!rtrPromised) {
            deadlines.firstMessage();
        }
    }

    /** Both directions are open. As responder, an RTR has opened them that is no message yet. */
    void open() {
        boolean byRtr = rtrAwaited;
        become(StreamState.OPEN);
        established = true;
        rtrAwaited = false;
        if (!draining) {
            if (byRtr) {
                deadlines.firstMessage();
            } else {
                deadlines.clear();
            }
        }
    }

    /** An FPDU behind the first is whole. */
    void fpduArrived() {
        deadlines.used();
    }

    /** As responder: we refuse. The reply is all that the peer hears; what it sends from now on is thrown away. */
    void refused(String why) {
        reason = new DisconnectReason(Cause.REJECTED, why);
        become(StreamState.LINGERING);
        deadlines.end();
    }

    // How it ends.

    /** What becomes of the connection. */
    enum Ending {
        /** The Terminate that was given to the transmitter leaves, then our direction ends. */
        TERMINATE,
        /** Our direction ends. */
        QUIET,
        /** The connection is closed. */
        CLOSE,
        /** It is closed already. */
        LINK_GONE
    }

    /** The peer broke a protocol. */
    void terminate(ProtocolViolation violation) {
        counts.violated(violation);
        boolean refusingReply = violation instanceof MpaViolation mpa
                && (mpa.error() == MpaError.INSUFFICIENT_IRD || mpa.error() == MpaError.NO_MATCHING_RTR);
        if (!state.framing() && !refusingReply) {
            end(Cause.REJECTED, violation.detail(), Ending.CLOSE);
            return;
        }
        inbound.failReceive(violation);
        culprit = inbound.blamed(violation, transmitter.work());
        if (!state.sending()) {
            transmitter.open(terms.framing(), 0);
        }
        sendTerminate(inbound.terminateHeader(violation));
        end(Cause.LOCAL_TERMINATE, violation.detail(), Ending.TERMINATE);
    }

    /** Counts one only that will leave: nothing leaves a stream that has ended already. */
    private void sendTerminate(TerminateHeader header) {
        if (reason == null) {
            counts.terminateSent(header.error());
        }
        transmitter.terminate(RdmapSender.terminate(header));
    }

    /** As initiator: the peer refuses. */
    void rejected(Rejection rejection) {
        end(
                new DisconnectReason(
                        Cause.REJECTED,
                        "the peer rejected the connection with "
                                + rejection.privateData().remaining() + " bytes of private data",
                        rejection),
                Ending.CLOSE);
    }

    /** What we need cannot be had on this connection: the peer is told so in MPA's words (RFC 6581, section 9.3). */
    void giveUp(String detail) {
        sendTerminate(inbound.terminateHeader(new MpaViolation(MpaError.LOCAL_CATASTROPHIC, detail)));
        end(Cause.REJECTED, detail, Ending.TERMINATE);
    }

    /** The peer has sent a Terminate. */
    void peerTerminated(TerminateHeader header, String rawHex) {
        counts.terminateReceived(header.error());
        culprit = transmitter.work().named(header.ddpHeader());
        if (header.error().isUnknownOpcode()) {
            culpritStatus = CompletionStatus.UNSUPPORTED;
        }
        end(Cause.PEER_TERMINATE, header.error() + ", raw " + rawHex, Ending.QUIET);
    }

    /** The peer has ended its direction of the stream. */
    void peerEndedStream() {
        peerEnded = true;
        switch (state) {
            case STARTUP -> end(Cause.CONNECTION_LOST, "the peer closed during startup", Ending.CLOSE);
            case WAIT_FIRST, OPEN -> {
                if (!inbound.atBoundary()) {
                    end(Cause.CONNECTION_LOST, "the stream ended inside a message", Ending.CLOSE);
                } else if (state == StreamState.OPEN) {
                    halfClose();
                } else {
                    // Nothing of ours may leave before the first FPDU, which does not come any more.
                    end(
                            draining ? Cause.LOCAL_CLOSE : Cause.PEER_CLOSE,
                            "the peer closed the connection",
                            Ending.QUIET);
                }
            }
            case HALF_CLOSED, ENDING, CLOSED -> {}
            case LINGERING -> link.close();
        }
    }

    /** What needs the peer is over; all else that was posted goes on to its end (RFC 5041, section 6.2.1). */
    private void halfClose() {
        become(StreamState.HALF_CLOSED);
        if (parting == null) {
            parting = new DisconnectReason(Cause.PEER_CLOSE, "the peer closed the connection");
        }
        upcalls.halfClosed(transmitter.work()::lossTold);
        inbound.receives().flush();
        transmitter.requestsLost();
        completeWork();
        if (draining || !transmitter.idle()) {
            deadlines.parting(false);
        } else {
            deadlines.clear();
        }
        transmitter.want();
    }

    /** Bytes behind the end that the peer has put to its direction (RFC 5041, section 6.2.1). */
    void receivedBehindEnd() {
        end(Cause.CONNECTION_LOST, "bytes arrived behind the end of the peer's stream", Ending.CLOSE);
    }

    /** The connection is gone. */
    void linkLost(String detail) {
        if (state != StreamState.CLOSED) {
            if (state == StreamState.HALF_CLOSED) {
                // It was over anyway; the completions tell what has not left.
                endParting("did not take all that was due: " + detail, Ending.LINK_GONE);
            } else {
                end(Cause.CONNECTION_LOST, detail, Ending.LINK_GONE);
            }
            finish();
            become(StreamState.CLOSED);
            transmitter.release();
            deadlines.clear();
        }
    }

    /** It took too long. */
    void timedOut() {
        boolean starting = state == StreamState.STARTUP || (state == StreamState.WAIT_FIRST && rtrAwaited);
        if (starting && !draining) {
            end(Cause.TIMEOUT, "no MPA startup within " + millis(config.startupTimeoutNanos()), Ending.CLOSE);
        } else if ((state == StreamState.WAIT_FIRST || state == StreamState.OPEN) && !draining) {
            end(Cause.TIMEOUT, "no message within " + millis(config.firstMessageTimeoutNanos()), Ending.CLOSE);
        } else if (!deadlines.goesOn()) {
            if (state == StreamState.HALF_CLOSED) {
                endParting("did not take in time what was due", Ending.CLOSE);
            } else {
                end(Cause.LOCAL_CLOSE, "posted work did not leave in time", Ending.CLOSE);
            }
            link.close();
        }
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }

    /** Ends the stream for the reason that there already was to part. */
    private void endParting(String detail, Ending ending) {
        DisconnectReason first = parting;
        if (first == null) {
            throw new IllegalStateException("nobody wanted to part");
        }
        end(first.cause(), first.detail() + ", and " + detail, ending);
    }

    /** Somebody's defect: ours, or the upper layer's. */
    void bug(Throwable error) {
        link.internalError(error);
        boolean peerListens = state.sending();
        if (peerListens) {
            sendTerminate(TerminateReasons.localCatastrophe());
        }
        end(Cause.INTERNAL_ERROR, String.valueOf(error), peerListens ? Ending.TERMINATE : Ending.CLOSE);
    }

    /** The upper layer wants no more of it: the peer is told so, if it may be told anything (RFC 5040, section 7.1). */
    void abort(String why) {
        if (state.sending()) {
            sendTerminate(TerminateReasons.localCatastrophe());
            end(Cause.LOCAL_CLOSE, why, Ending.TERMINATE);
        } else {
            end(Cause.LOCAL_CLOSE, why, Ending.CLOSE);
        }
    }

    /** The upper layer wants to part once its work is done. */
    void disconnect() {
        draining = true;
        if (state == StreamState.STARTUP) {
            end(Cause.LOCAL_CLOSE, "disconnected by us before it was established", Ending.CLOSE);
        } else {
            if (parting == null) {
                parting = new DisconnectReason(Cause.LOCAL_CLOSE, "disconnected by us");
            }
            deadlines.parting(state != StreamState.HALF_CLOSED);
            transmitter.want();
        }
    }

    /** Ends the stream if the upper layer wants to part and all is done. */
    void drainIfDone() {
        DisconnectReason first = parting;
        if (draining
                && first != null
                && state.framing()
                && transmitter.work().incompleteCount() == 0
                && transmitter.idle()) {
            end(first, Ending.QUIET);
        }
    }

    /** Ends the stream, unless it has ended already. */
    void end(Cause cause, String detail, Ending ending) {
        end(new DisconnectReason(cause, detail), ending);
    }

    private void end(DisconnectReason why, Ending ending) {
        if (reason != null) {
            return;
        }
        reason = why;
        become(StreamState.ENDING, ending == Ending.TERMINATE ? StreamPhase.TERMINATING : StreamPhase.CLOSING);
        regions.invalidateAll();
        shared.release();
        inbound.receives().flush();
        if (ending != Ending.TERMINATE) {
            transmitter.stop();
        }
        if (ending == Ending.LINK_GONE) {
            return;
        }
        deadlines.end();
        if (ending == Ending.CLOSE) {
            link.close();
        } else if (transmitter.idle()) {
            finish();
        } else {
            transmitter.want();
        }
    }

    // What leaves while it ends.

    /**
     * The socket had room for another batch.
     *
     * @param ofOurWork whether any of it was posted, of which there is an end, and not asked for by the peer
     */
    void batchPulled(boolean ofOurWork) {
        if (state == StreamState.HALF_CLOSED && !deadlines.watching()) {
            deadlines.parting(false);
        } else if (state == StreamState.OPEN && ofOurWork) {
            deadlines.used();
        }
    }

    /** Nothing is left to leave now; the last may have been work that sends nothing. */
    void nothingPulled() {
        if (state == StreamState.HALF_CLOSED && !draining && transmitter.idle()) {
            deadlines.clear();
        }
    }

    /** The socket has taken a batch. */
    void batchSent() {
        completeWork();
        transmitter.want();
        if (state == StreamState.ENDING && transmitter.idle()) {
            finish();
        }
    }

    /** Takes work that is not to be done any more. */
    void flushWork(SendWork work) {
        transmitter.work().postFlushed(work);
        if (state != StreamState.ENDING) {
            completeWork();
        }
    }

    /** Tells of all work that is done and before which none is left. */
    void completeWork() {
        boolean any = false;
        for (Completion done = transmitter.work().pollCompleted();
                done != null;
                done = transmitter.work().pollCompleted()) {
            upcalls.completed(done);
            any = true;
        }
        if (any && draining && state == StreamState.OPEN && transmitter.work().incompleteCount() == 0) {
            // Only answers are left, and the peer could go on asking.
            deadlines.end();
        }
    }

    /** No buffer of ours is referred to any more: tells the upper layer that it is over. */
    private void finish() {
        if (state != StreamState.ENDING) {
            return;
        }
        become(StreamState.LINGERING);
        for (SendWork work = transmitter.work().pollIncomplete();
                work != null;
                work = transmitter.work().pollIncomplete()) {
            upcalls.completed(work.completion(work == culprit ? culpritStatus : CompletionStatus.FLUSHED));
        }
        if (reason != null) {
            upcalls.disconnected(reason);
        }
        link.endOutput();
        if (peerEnded) {
            link.close();
        }
    }
}
