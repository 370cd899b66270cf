package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.rdmap.RdmapSender;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;

/**
 * The last three states of a stream: ENDING, LINGERING and CLOSED. {@link StreamLife} has the state table, and decides
 * when and why the stream ends.
 *
 * <h2>Operation</h2>
 *
 * Once the stream ends, only a Terminate is still sent. When the socket has released all our buffers, the upper layer
 * is told of all outstanding work, and then once of the end.
 *
 * <h2>Buffers</h2>
 *
 * Regions become invalid when ENDING begins. The buffers of posted work are returned when the socket has released them.
 *
 * <h2>Errors</h2>
 *
 * Only the first reason to end is reported. Events during the end do not change it.
 */
final class StreamEnd {
    /** What happens to the connection at the end of the stream. */
    enum Ending {
        /** The Terminate that was given to the transmitter is sent, then our direction ends. */
        TERMINATE,
        /** Our direction ends. */
        QUIET,
        /** The connection is closed. */
        CLOSE,
        /** The connection is closed already. */
        LINK_GONE
    }

    private final QueuePairLink link;
    private final RegionTable regions;
    private final SharedResources shared;
    private final ReceiveQueue receives;
    private final Transmitter transmitter;
    private final Upcalls upcalls;
    private final StreamDeadlines deadlines;
    private final StreamCounts counts;
    private final CurrentState current;

    private @Nullable DisconnectReason reason;
    private @Nullable SendWork culprit;
    private CompletionStatus culpritStatus = CompletionStatus.REMOTE_ERROR;
    private boolean peerEnded;

    StreamEnd(
            QueuePairLink link,
            RegionTable regions,
            SharedResources shared,
            ReceiveQueue receives,
            Transmitter transmitter,
            Upcalls upcalls,
            StreamDeadlines deadlines,
            StreamCounts counts,
            CurrentState current) {
        this.link = link;
        this.regions = regions;
        this.shared = shared;
        this.receives = receives;
        this.transmitter = transmitter;
        this.upcalls = upcalls;
        this.deadlines = deadlines;
        this.counts = counts;
        this.current = current;
    }

    /** Sends a Terminate. It is counted only if the stream has not ended already, because otherwise it is not sent. */
    void sendTerminate(TerminateHeader header) {
        if (reason == null) {
            counts.terminateSent(header.error());
        }
        transmitter.terminate(RdmapSender.terminate(header));
    }

    /** Names the work, if any, that ends the stream. It completes with an error and not as flushed. */
    void blame(@Nullable SendWork work) {
        culprit = work;
    }

    /** Says that the peer does not support what that work requested. */
    void blameUnsupported() {
        culpritStatus = CompletionStatus.UNSUPPORTED;
    }

    /**
     * As responder, refuses the connection. Only the reply is sent, and what the peer sends from now on is discarded.
     */
    void refused(String why) {
        reason = new DisconnectReason(Cause.REJECTED, why);
        current.become(StreamState.LINGERING);
        deadlines.end();
    }

    /** Ends the stream, unless it has ended already. */
    void begin(DisconnectReason why, Ending ending) {
        if (reason != null) {
            return;
        }
        reason = why;
        current.become(StreamState.ENDING, ending == Ending.TERMINATE ? StreamPhase.TERMINATING : StreamPhase.CLOSING);
        regions.invalidateAll();
        shared.release();
        receives.flush();
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

    /** The peer has ended its direction of the stream, in any state. */
    void peerEnded() {
        peerEnded = true;
        if (current.is(StreamState.LINGERING)) {
            link.close();
        }
    }

    /** The socket has taken a batch. */
    void batchSent() {
        if (transmitter.idle()) {
            finish();
        }
    }

    /** The connection is gone. The stream has ended before, for this reason or another. */
    void linkGone() {
        finish();
        current.become(StreamState.CLOSED);
        transmitter.release();
        deadlines.clear();
    }

    /** Reports the end to the upper layer. No buffer of ours is in use any more. */
    private void finish() {
        if (!current.is(StreamState.ENDING)) {
            return;
        }
        current.become(StreamState.LINGERING);
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
