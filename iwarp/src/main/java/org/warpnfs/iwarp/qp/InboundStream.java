package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpError;
import org.warpnfs.iwarp.ddp.DdpReceiver;
import org.warpnfs.iwarp.ddp.DdpViolation;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.io.ProtocolViolation;
import org.warpnfs.iwarp.memory.RegionTable;
import org.warpnfs.iwarp.mpa.Deframer;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.mpa.UlpduSink;
import org.warpnfs.iwarp.rdmap.AtomicRequestHeader;
import org.warpnfs.iwarp.rdmap.RdmapExtensions;
import org.warpnfs.iwarp.rdmap.RdmapQueue;
import org.warpnfs.iwarp.rdmap.RdmapRegion;
import org.warpnfs.iwarp.rdmap.RdmapStream;
import org.warpnfs.iwarp.rdmap.RdmapUlp;
import org.warpnfs.iwarp.rdmap.RdmapViolation;
import org.warpnfs.iwarp.rdmap.ReadRequestHeader;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.CompletionStatus;

/**
 * The receiving side of a queue pair: deframer, DDP and RDMAP, stacked. Their results go to {@link InboundEvents}.
 *
 * <h2>Operation</h2>
 *
 * Closed until the startup has settled whether CRCs are used. Then {@link #advance} consumes bytes, at most one FPDU at
 * a time, so that the caller can check the state after each.
 *
 * <h2>Buffers</h2>
 *
 * Those of the {@link ReceiveQueue}.
 *
 * <h2>Errors</h2>
 *
 * Violations are passed to the caller. The caller then asks this class what to tell the peer.
 */
final class InboundStream implements UlpduSink, RdmapUlp {
    private final InboundEvents events;
    private final RdmapStream rdmap;
    private final DdpReceiver ddp;
    private final ReceiveQueue receives;
    private @Nullable Deframer deframer;
    private boolean emptyRtr;

    /** FPDUs since {@link #takeFpdusArrived} was last called. */
    private int fpdusArrived;

    /** @param upcalls is told of receives that no message fills */
    InboundStream(InboundEvents events, RegionTable regions, ReceiveAccount account, Upcalls upcalls) {
        this.events = events;
        this.rdmap = new RdmapStream(regions, this);
        this.receives = new ReceiveQueue(rdmap, account, upcalls);
        this.ddp = new DdpReceiver(rdmap);
    }

    RdmapStream rdmap() {
        return rdmap;
    }

    /** The posted receives. */
    ReceiveQueue receives() {
        return receives;
    }

    /** Opens the stream after the startup. */
    void open(MpaAgreement.Framing framing, RdmapExtensions extensions, int ird, int ord) {
        deframer = Deframer.of(this, framing);
        rdmap.open(extensions, ird, ord);
    }

    /** Processes at most one FPDU, or the part of it that has arrived. */
    void advance(ByteBuffer in) throws ProtocolViolation {
        Deframer open = deframer;
        if (open == null) {
            throw new IllegalStateException("bytes before the end of the startup");
        }
        open.advance(in);
    }

    /** The number of complete FPDUs since the last call. */
    int takeFpdusArrived() {
        int arrived = fpdusArrived;
        fpdusArrived = 0;
        return arrived;
    }

    /** Whether the stream may end here, because no message has been received in part. */
    boolean atBoundary() {
        return deframer != null && deframer.atBoundary() && rdmap.atMessageBoundary();
    }

    // Consequences of a violation for the layers above and for the peer.

    /** Returns the oldest receive as failed if the violation is a message that does not fit it. */
    void failReceive(ProtocolViolation violation) {
        boolean tooLong = violation instanceof DdpViolation found && found.error() == DdpError.UNTAGGED_TOO_LONG;
        if (tooLong && ddp.offendingQn() == RdmapQueue.SENDS) {
            receives.failOldest(CompletionStatus.LENGTH_ERROR);
        }
    }

    /** The work request whose response the violation concerns; null if there is none. */
    @Nullable
    SendWork blamed(ProtocolViolation violation, SendQueue work) {
        ByteBuffer header =
                switch (violation) {
                    case MpaViolation _ -> ByteBuffer.allocate(0);
                    case RdmapViolation found
                    when found.segment() != null ->
                        TerminateReasons.bytes(found.segment().header());
                    default -> ddp.offendingHeader();
                };
        if (rdmap.answersRead(header)) {
            return work.oldestRead();
        }
        return rdmap.answersAtomic(header) ? work.oldestAtomic() : null;
    }

    /** The Terminate that reports the violation to the peer. */
    TerminateHeader terminateHeader(ProtocolViolation violation) {
        return TerminateReasons.header(violation, ddp);
    }

    // From framing to DDP. The first FPDU opens a responder's sending direction.

    @Override
    public void ulpduStarted(int lengthBytes) throws ProtocolViolation {
        emptyRtr = lengthBytes == 0 && events.expects(RtrKind.FPDU);
        if (emptyRtr) {
            return;
        }
        if (lengthBytes == UntaggedHeader.BYTES && events.expects(RtrKind.SEND)) {
            // Only a zero-length Send has this length.
            receives.postRtr();
        }
        ddp.segmentStarted(lengthBytes);
    }

    @Override
    public void ulpduBytes(ByteBuffer bytes) throws ProtocolViolation {
        ddp.segmentBytes(bytes);
    }

    @Override
    public void ulpduEnded() throws ProtocolViolation {
        fpdusArrived++;
        if (emptyRtr) {
            events.fpduArrived();
            return;
        }
        ddp.checkWhole();
        events.fpduArrived();
        ddp.segmentEnded();
    }

    // From RDMAP to the work queues.

    @Override
    public void sendDelivered(
            UntaggedBuffer buffer, int messageBytes, boolean solicited, OptionalLong invalidatedStag) {
        if (!receives.isRtr(buffer)) {
            events.received(ReceiveQueue.taken(buffer).filled(messageBytes, solicited, invalidatedStag));
        }
    }

    @Override
    public void immediateDelivered(UntaggedBuffer buffer, long data, boolean solicited) {
        events.received(ReceiveQueue.taken(buffer).filledImmediate(data, solicited));
    }

    @Override
    public void receiveFailed(UntaggedBuffer buffer) {
        events.received(ReceiveQueue.taken(buffer).failed(CompletionStatus.REMOTE_ERROR));
    }

    @Override
    public void readRequested(
            ReadRequestHeader request, UntaggedHeader segment, @Nullable RdmapRegion source, int sourceOffsetBytes) {
        events.requested(new ReadAnswer(request, segment, source, sourceOffsetBytes));
    }

    @Override
    public void atomicRequested(
            AtomicRequestHeader request, UntaggedHeader segment, RdmapRegion target, int targetOffsetBytes) {
        events.requested(new AtomicAnswer(request, segment, target, targetOffsetBytes));
    }

    @Override
    public void atomicCompleted(long originalValue) {
        events.atomicCompleted(originalValue);
    }

    @Override
    public void readCompleted() {
        events.readCompleted();
    }

    @Override
    public void terminated(TerminateHeader header, String rawHex) {
        events.peerTerminated(header, rawHex);
    }
}
