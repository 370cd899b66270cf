package org.warpnfs.iwarp.qp;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.qp.StreamEnd.Ending;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.Rejection;

/**
 * The state machine of a stream, from its startup to its end. {@link StreamEnd} does what happens in the last three
 * states.
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
 * The deadline of an orderly close is set when the upper layer disconnects, and in HALF_CLOSED while anything is being
 * sent. It starts anew as long as the peer takes our work at the least rate ({@link StreamDeadlines}). So posted work
 * is sent however long it takes, but a peer that reads almost nothing is not waited for.
 *
 * <p>Bytes that arrive in the last three states are discarded. So nothing is sent after a Terminate, and a Terminate is
 * never answered. Our own Terminate has time to reach the peer. Closing the socket with unread bytes would drop it.
 *
 * <h2>Buffers, Errors</h2>
 *
 * See {@link StreamEnd}.
 */
final class StreamLife {
    private final QueuePairLink link;
    private final QueuePairConfig config;
    private final InboundStream inbound;
    private final Transmitter transmitter;
    private final Upcalls upcalls;
    private final ConnectionTerms terms;
    private final StreamDeadlines deadlines;
    private final StreamCounts counts;
    private final CurrentState current;
    private final StreamEnd streamEnd;

    private boolean draining;
    private boolean established;

    /** As responder, whether the initiator has promised an RTR that opens the stream. */
    private boolean rtrAwaited;

    /** The reason of an orderly close that has begun; null if there is none. */
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
        this.inbound = inbound;
        this.transmitter = transmitter;
        this.upcalls = upcalls;
        this.terms = terms;
        this.deadlines = deadlines;
        this.counts = counts;
        this.current = new CurrentState(counts);
        this.streamEnd = new StreamEnd(
                link, regions, shared, inbound.receives(), transmitter, upcalls, deadlines, counts, current);
    }

    StreamState state() {
        return current.get();
    }

    /** Whether both directions were ever open. */
    boolean established() {
        return established;
    }

    /** Whether the upper layer has disconnected, so that only posted work is still done. */
    boolean draining() {
        return draining;
    }

    // How the stream begins.

    /** The link is up, for the first time or again after a reconnect. */
    void begin() {
        current.begin();
    }

    /**
     * As responder, waits for the first FPDU. Only the reply may be sent before it.
     *
     * @param rtrPromised whether the initiator has promised to send an RTR at once; the RTR is part of the startup then
     */
    void waitForFirst(boolean rtrPromised) {
        current.become(StreamState.WAIT_FIRST);
        rtrAwaited = rtrPromised;
        if (!rtrPromised) {
            deadlines.firstMessage();
        }
    }

    /** Opens both directions. As responder, an RTR may have opened them. It does not count as a message. */
    void open() {
        boolean byRtr = rtrAwaited;
        current.become(StreamState.OPEN);
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

    /** An FPDU after the first is complete. */
    void fpduArrived() {
        deadlines.used();
    }

    /**
     * As responder, refuses the connection. Only the reply is sent, and what the peer sends from now on is discarded.
     */
    void refused(String why) {
        streamEnd.refused(why);
    }

    // How the stream ends.

    /** The peer broke a protocol. */
    void terminate(ProtocolViolation violation) {
        counts.violated(violation);
        boolean refusingReply = violation instanceof MpaViolation mpa
                && (mpa.error() == MpaError.INSUFFICIENT_IRD || mpa.error() == MpaError.NO_MATCHING_RTR);
        if (!state().framing() && !refusingReply) {
            end(Cause.REJECTED, violation.detail(), Ending.CLOSE);
            return;
        }
        inbound.failReceive(violation);
        streamEnd.blame(inbound.blamed(violation, transmitter.work()));
        if (!state().sending()) {
            transmitter.open(terms.framing(), 0);
        }
        streamEnd.sendTerminate(inbound.terminateHeader(violation));
        end(Cause.LOCAL_TERMINATE, violation.detail(), Ending.TERMINATE);
    }

    /** As initiator: the peer rejected the connection. */
    void rejected(Rejection rejection) {
        streamEnd.begin(
                new DisconnectReason(
                        Cause.REJECTED,
                        "the peer rejected the connection with "
                                + rejection.privateData().remaining() + " bytes of private data",
                        rejection),
                Ending.CLOSE);
    }

    /**
     * Ends a connection that cannot meet our needs. The peer is sent a Terminate with an MPA error (RFC 6581, section
     * 9.3).
     */
    void giveUp(String detail) {
        streamEnd.sendTerminate(inbound.terminateHeader(new MpaViolation(MpaError.LOCAL_CATASTROPHIC, detail)));
        end(Cause.REJECTED, detail, Ending.TERMINATE);
    }

    /** The peer has sent a Terminate. */
    void peerTerminated(TerminateHeader header, String rawHex) {
        counts.terminateReceived(header.error());
        streamEnd.blame(transmitter.work().named(header.ddpHeader()));
        if (header.error().isUnknownOpcode()) {
            streamEnd.blameUnsupported();
        }
        end(Cause.PEER_TERMINATE, header.error() + ", raw " + rawHex, Ending.QUIET);
    }

    /** The peer has ended its direction of the stream. */
    void peerEndedStream() {
        streamEnd.peerEnded();
        switch (state()) {
            case STARTUP -> end(Cause.CONNECTION_LOST, "the peer closed during startup", Ending.CLOSE);
            case WAIT_FIRST, OPEN -> {
                if (!inbound.atBoundary()) {
                    end(Cause.CONNECTION_LOST, "the stream ended inside a message", Ending.CLOSE);
                } else if (current.is(StreamState.OPEN)) {
                    halfClose();
                } else {
                    // Nothing may be sent before the first FPDU, which cannot come any more.
                    end(
                            draining ? Cause.LOCAL_CLOSE : Cause.PEER_CLOSE,
                            "the peer closed the connection",
                            Ending.QUIET);
                }
            }
            case HALF_CLOSED, ENDING, LINGERING, CLOSED -> {}
        }
    }

    /** Flushes all that needs the peer. Other posted work proceeds to its end (RFC 5041, section 6.2.1). */
    private void halfClose() {
        current.become(StreamState.HALF_CLOSED);
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

    /** Bytes have arrived after the peer ended its direction (RFC 5041, section 6.2.1). */
    void receivedBehindEnd() {
        end(Cause.CONNECTION_LOST, "bytes arrived after the end of the peer's stream", Ending.CLOSE);
    }

    /** The connection is gone. */
    void linkLost(String detail) {
        if (!current.is(StreamState.CLOSED)) {
            if (current.is(StreamState.HALF_CLOSED)) {
                // The stream was closing anyway. The completions tell which work was not sent.
                endParting("the posted data was not all taken: " + detail, Ending.LINK_GONE);
            } else {
                end(Cause.CONNECTION_LOST, detail, Ending.LINK_GONE);
            }
            streamEnd.linkGone();
        }
    }

    /** The deadline has passed. */
    void timedOut() {
        boolean starting = current.is(StreamState.STARTUP) || (current.is(StreamState.WAIT_FIRST) && rtrAwaited);
        if (starting && !draining) {
            end(Cause.TIMEOUT, "no MPA startup within " + millis(config.startupTimeoutNanos()), Ending.CLOSE);
        } else if ((current.is(StreamState.WAIT_FIRST) || current.is(StreamState.OPEN)) && !draining) {
            end(Cause.TIMEOUT, "no message within " + millis(config.firstMessageTimeoutNanos()), Ending.CLOSE);
        } else if (!deadlines.goesOn()) {
            if (current.is(StreamState.HALF_CLOSED)) {
                endParting("the posted data was not taken in time", Ending.CLOSE);
            } else {
                end(Cause.LOCAL_CLOSE, "posted work was not sent in time", Ending.CLOSE);
            }
            link.close();
        }
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }

    /** Ends the stream with the reason of the orderly close that had begun. */
    private void endParting(String detail, Ending ending) {
        DisconnectReason first = parting;
        if (first == null) {
            throw new IllegalStateException("the stream was not closing");
        }
        end(first.cause(), first.detail() + ", and " + detail, ending);
    }

    /** A defect of ours or of the upper layer. */
    void bug(Throwable error) {
        link.internalError(error);
        boolean peerListens = state().sending();
        if (peerListens) {
            streamEnd.sendTerminate(TerminateReasons.localCatastrophe());
        }
        end(Cause.INTERNAL_ERROR, String.valueOf(error), peerListens ? Ending.TERMINATE : Ending.CLOSE);
    }

    /**
     * Ends the stream at the request of the upper layer. The peer is sent a Terminate if the state permits it (RFC
     * 5040, section 7.1).
     */
    void abort(String why) {
        if (state().sending()) {
            streamEnd.sendTerminate(TerminateReasons.localCatastrophe());
            end(Cause.LOCAL_CLOSE, why, Ending.TERMINATE);
        } else {
            end(Cause.LOCAL_CLOSE, why, Ending.CLOSE);
        }
    }

    /** Ends the stream at the request of the upper layer, after its posted work is done. */
    void disconnect() {
        draining = true;
        if (current.is(StreamState.STARTUP)) {
            end(Cause.LOCAL_CLOSE, "disconnected by us before it was established", Ending.CLOSE);
        } else {
            if (parting == null) {
                parting = new DisconnectReason(Cause.LOCAL_CLOSE, "disconnected by us");
            }
            deadlines.parting(!current.is(StreamState.HALF_CLOSED));
            transmitter.want();
        }
    }

    /** Ends the stream if the upper layer has disconnected and all posted work is done. */
    void drainIfDone() {
        DisconnectReason first = parting;
        if (draining
                && first != null
                && state().framing()
                && transmitter.work().incompleteCount() == 0
                && transmitter.idle()) {
            streamEnd.begin(first, Ending.QUIET);
        }
    }

    /** Ends the stream, unless it has ended already. */
    void end(Cause cause, String detail, Ending ending) {
        streamEnd.begin(new DisconnectReason(cause, detail), ending);
    }

    // What is sent while the stream ends.

    /**
     * A batch was pulled because the socket had room.
     *
     * @param ofOurWork whether the batch carries posted work, which is limited, and not only responses to the peer
     */
    void batchPulled(boolean ofOurWork) {
        if (current.is(StreamState.HALF_CLOSED) && !deadlines.watching()) {
            deadlines.parting(false);
        } else if (current.is(StreamState.OPEN) && ofOurWork) {
            deadlines.used();
        }
    }

    /** There is no output left now. The last work may have been a request that sends nothing. */
    void nothingPulled() {
        if (current.is(StreamState.HALF_CLOSED) && !draining && transmitter.idle()) {
            deadlines.clear();
        }
    }

    /** The socket has taken a batch. */
    void batchSent() {
        completeWork();
        transmitter.want();
        streamEnd.batchSent();
    }

    /** Accepts work that will not be done any more. */
    void flushWork(SendWork work) {
        transmitter.work().postFlushed(work);
        if (!current.is(StreamState.ENDING)) {
            completeWork();
        }
    }

    /** Reports all work that is done and has no incomplete work before it. */
    void completeWork() {
        boolean any = false;
        for (Completion done = transmitter.work().pollCompleted();
                done != null;
                done = transmitter.work().pollCompleted()) {
            upcalls.completed(done);
            any = true;
        }
        if (any
                && draining
                && current.is(StreamState.OPEN)
                && transmitter.work().incompleteCount() == 0) {
            // Only responses are left, and the peer could request more without end.
            deadlines.end();
        }
    }
}
