package org.warpnfs.iwarp.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;

/** The life of one end's stream, from its establishment to its end, with the cause of the end. */
final class Life {
    private final End end;
    boolean established;

    /** The upper layer has disconnected, so only posted work is still done. */
    boolean draining;

    /** The peer has ended its direction, and our direction is open. */
    boolean halfClosed;

    /** The first reason of an orderly close. */
    private Cause parting;

    /** The possible reasons of the end; null while the stream has not ended. */
    private Set<Cause> over;

    private ByteBuffer terminateDue;
    private Work culprit;
    private Work suspect;
    private CompletionStatus culpritStatus = CompletionStatus.REMOTE_ERROR;

    Life(End end) {
        this.end = end;
    }

    /** The possible reasons of the end. */
    Set<Cause> causes() {
        return over;
    }

    /** The work that ended the stream; null if none did. */
    Work culprit() {
        return culprit;
    }

    /** Whether work may complete as the one that the peer's Terminate is about. */
    boolean mayBlame(Work work) {
        return work == culprit || work == suspect;
    }

    CompletionStatus culpritStatus() {
        return culpritStatus;
    }

    void disconnecting() {
        if (!isOver()) {
            draining = true;
            parting = parting == null ? Cause.LOCAL_CLOSE : parting;
        }
    }

    void aborting() {
        if (!isOver()) {
            over(EnumSet.of(Cause.LOCAL_CLOSE));
            terminateDue = established ? Fault.LOCAL_CATASTROPHE.bare() : null;
        }
    }

    /** Whether the queue pair ignores all that arrives. */
    boolean isOver() {
        if (over == null && end.probe != null && !end.probe.region.valid()) {
            // The model does not know when the last of the work was done, or whether a response to a revoked region was
            // due.
            Set<Cause> causes = EnumSet.noneOf(Cause.class);
            boolean revoked = end.requests.stream().anyMatch(Request::revoked);
            if (draining) {
                causes.add(parting);
                Broken.unless(
                        revoked || end.requests.isEmpty(),
                        () -> end + ": parts without an answer to what it was asked");
            }
            if (revoked) {
                causes.add(Cause.LOCAL_TERMINATE);
            }
            if (end.run.stalledForGood && end.run.opens() && !established) {
                causes.add(Cause.TIMEOUT);
            }
            if (!end.initiator && end.inbound.silent()) {
                causes.add(Cause.TIMEOUT);
                end.run.coverage.see("no first message");
            }
            Broken.unless(!causes.isEmpty(), () -> end + ": is over, and nobody knows why");
            over(causes);
        }
        return over != null;
    }

    private void over(Set<Cause> causes) {
        end.run.trace(() -> end + " is over: " + causes);
        over = causes;
    }

    /** The peer's bytes broke a rule. */
    void violated(Fault fault, Segment segment) {
        boolean inRequest = segment != null && segment.opcode() == Segment.READ_REQUEST;
        violated(fault, segment, inRequest ? segment.payload() : null);
    }

    void violated(Fault fault, Segment segment, ByteBuffer readRequest) {
        over(EnumSet.of(Cause.LOCAL_TERMINATE));
        terminateDue = segment == null
                ? fault.bare()
                : fault.about(
                        segment.lengthBytes(),
                        ByteBuffer.allocate(18).put(segment.header()).flip(),
                        readRequest);
        if (segment != null && segment.opcode() == Segment.READ_RESPONSE) {
            culprit = end.work.reads.peek();
        }
    }

    /** The Terminates of which one must be sent. There are several if several responses from revoked memory are due. */
    List<ByteBuffer> terminatesDue() {
        if (terminateDue != null) {
            return List.of(terminateDue);
        }
        List<ByteBuffer> due = new ArrayList<>();
        if (isOver() && over.contains(Cause.LOCAL_TERMINATE)) {
            for (Request request : end.requests) {
                if (request.revoked()) {
                    due.add(Fault.INVALID_STAG.about(
                            request.header.remaining() + request.message.remaining(),
                            request.header,
                            request.isAtomic() ? null : request.rest()));
                }
            }
        }
        return due;
    }

    /** The peer's Terminate has arrived. */
    void terminated(ByteBuffer terminate) {
        over(EnumSet.of(Cause.PEER_TERMINATE));
        end.run.coverage.see("Terminate heard");
        if (terminate.remaining() > 6) {
            Segment segment = new Segment(terminate.slice(6, terminate.remaining() - 6), terminate.getShort(4));
            culprit = end.work.named(segment);
            suspect = culprit == null ? end.work.perhapsNamed(segment) : null;
            if (Fault.of(terminate) == Fault.UNKNOWN_OPCODE) {
                culpritStatus = CompletionStatus.UNSUPPORTED;
            }
        }
    }

    /** The end of the peer's stream has arrived. */
    void streamEnded() {
        if (isOver()) {
            return;
        }
        boolean startup = end.initiator ? !established : end.queuePair == null;
        if (startup || !end.inbound.atBoundary()) {
            over(EnumSet.of(Cause.CONNECTION_LOST));
            return;
        }
        parting = parting == null ? Cause.PEER_CLOSE : parting;
        if (established) {
            end.run.trace(() -> end + " is half closed");
            halfClosed = true;
            end.work.answersAreOver(end.outbound.endOfBatch());
        } else {
            over(EnumSet.of(parting));
        }
    }

    void connectionLost() {
        if (!isOver()) {
            over(EnumSet.of(halfClosed ? parting : Cause.CONNECTION_LOST));
        }
    }
}
