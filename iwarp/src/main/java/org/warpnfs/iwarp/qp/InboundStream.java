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
 * The receiving side of a queue pair: deframer, DDP and RDMAP one on top of the other, and what comes out of them for the
 * machine.
 *
 * <h2>Operation</h2>
 *
 * Closed until the startup has settled whether there are CRCs. Then {@link #advance} takes bytes, at most one FPDU at a time,
 * so that the machine can look up between two.
 *
 * <h2>Buffers</h2>
 *
 * Holds the posted receives.
 *
 * <h2>Errors</h2>
 *
 * Violations pass through to the machine, which asks back what to tell the peer.
 */
final class InboundStream implements UlpduSink, RdmapUlp {
    private final QueuePairMachine machine;
    private final RdmapStream rdmap;
    private final DdpReceiver ddp;
    private final ReceiveAccount receives;
    private @Nullable Deframer deframer;
    private boolean emptyRtr;

    /** Since they were last asked for. */
    private int fpdusArrived;

    /** What a Send of nothing fills that is an RTR: it takes no receive of the upper layer's. */
    private final PostedReceive rtrReceive = new PostedReceive(0, ByteBuffer.allocate(0));

    InboundStream(QueuePairMachine machine, RegionTable regions, ReceiveAccount receives) {
        this.machine = machine;
        this.receives = receives;
        this.rdmap = new RdmapStream(regions, this);
        this.ddp = new DdpReceiver(rdmap);
    }

    RdmapStream rdmap() {
        return rdmap;
    }

    /** The startup is over. */
    void open(MpaAgreement.Framing framing, RdmapExtensions extensions, int ird, int ord) {
        deframer = Deframer.of(this, framing);
        rdmap.open(extensions, ird, ord);
    }

    /** Takes one step. */
    void advance(ByteBuffer in) throws ProtocolViolation {
        Deframer open = deframer;
        if (open == null) {
            throw new IllegalStateException("bytes before the end of the startup");
        }
        open.advance(in);
    }

    /** How many FPDUs have arrived whole since this was last asked. */
    int takeFpdusArrived() {
        int arrived = fpdusArrived;
        fpdusArrived = 0;
        return arrived;
    }

    /** Whether the stream may end here. */
    boolean atBoundary() {
        return deframer != null && deframer.atBoundary() && rdmap.atMessageBoundary();
    }

    // Receives.

    /** Takes receives from a shared queue, as far as there is room for their completions. */
    void receiveFrom(SharedReceives shared, SharedReceives.Share share, @Nullable LocalCompletionQueue completions) {
        rdmap.receives().takeFrom(() -> {
            if (completions != null && !completions.tryReserve()) {
                return null;
            }
            PostedReceive receive = shared.take(share);
            if (receive == null && completions != null) {
                completions.cancel();
            }
            return receive;
        });
    }

    /** Posts a receive, unless a limit is reached. */
    void postReceive(PostedReceive receive) {
        receives.take(receive);
        rdmap.receives().post(receive);
    }

    /** Gives all posted receives back, those first whose messages could not be delivered in order. */
    void flushReceives() {
        for (UntaggedBuffer buffer = rdmap.pollUndelivered(); buffer != null; buffer = rdmap.pollUndelivered()) {
            if (buffer instanceof PostedReceive receive) {
                receive.uncount();
                machine.received(receive.failed(CompletionStatus.FLUSHED));
            }
        }
        for (PostedReceive receive = pollReceive(); receive != null; receive = pollReceive()) {
            if (receive != rtrReceive) {
                machine.received(receive.failed(CompletionStatus.FLUSHED));
            }
        }
        receives.close();
    }

    private @Nullable PostedReceive pollReceive() {
        PostedReceive receive = (PostedReceive) rdmap.receives().poll();
        if (receive != null) {
            receive.uncount();
        }
        return receive;
    }

    // What a violation means for those above and below.

    /** Gives the receive back that a message did not fit, if that is what is wrong. */
    void failReceive(ProtocolViolation violation) {
        boolean tooLong = violation instanceof DdpViolation found && found.error() == DdpError.UNTAGGED_TOO_LONG;
        if (tooLong && ddp.offendingQn() == RdmapQueue.SENDS) {
            PostedReceive receive = pollReceive();
            if (receive != null) {
                machine.received(receive.failed(CompletionStatus.LENGTH_ERROR));
            }
        }
    }

    /** The work whose answer a violation is; null if it is none. */
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

    /** What to tell the peer. */
    TerminateHeader terminateHeader(ProtocolViolation violation) {
        return TerminateReasons.header(violation, ddp);
    }

    // From framing to DDP; the first FPDU opens a responder's sending direction.

    @Override
    public void ulpduStarted(int lengthBytes) throws ProtocolViolation {
        emptyRtr = lengthBytes == 0 && machine.expects(RtrKind.FPDU);
        if (emptyRtr) {
            return;
        }
        if (lengthBytes == UntaggedHeader.BYTES && machine.expects(RtrKind.SEND)) {
            // No other message is as short.
            rdmap.receives().postFirst(rtrReceive);
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
            machine.fpduArrived();
            return;
        }
        ddp.checkWhole();
        machine.fpduArrived();
        ddp.segmentEnded();
    }

    // From RDMAP to the work queues.

    @Override
    public void sendDelivered(
            UntaggedBuffer buffer, int messageBytes, boolean solicited, OptionalLong invalidatedStag) {
        if (buffer != rtrReceive) {
            PostedReceive receive = (PostedReceive) buffer;
            receive.uncount();
            machine.received(receive.filled(messageBytes, solicited, invalidatedStag));
        }
    }

    @Override
    public void immediateDelivered(UntaggedBuffer buffer, long data, boolean solicited) {
        PostedReceive receive = (PostedReceive) buffer;
        receive.uncount();
        machine.received(receive.filledImmediate(data, solicited));
    }

    @Override
    public void receiveFailed(UntaggedBuffer buffer) {
        PostedReceive receive = (PostedReceive) buffer;
        receive.uncount();
        machine.received(receive.failed(CompletionStatus.REMOTE_ERROR));
    }

    @Override
    public void readRequested(
            ReadRequestHeader request, UntaggedHeader segment, @Nullable RdmapRegion source, int sourceOffsetBytes) {
        machine.requested(new ReadAnswer(request, segment, source, sourceOffsetBytes));
    }

    @Override
    public void atomicRequested(
            AtomicRequestHeader request, UntaggedHeader segment, RdmapRegion target, int targetOffsetBytes) {
        machine.requested(new AtomicAnswer(request, segment, target, targetOffsetBytes));
    }

    @Override
    public void atomicCompleted(long originalValue) {
        machine.atomicCompleted(originalValue);
    }

    @Override
    public void readCompleted() {
        machine.readCompleted();
    }

    @Override
    public void terminated(TerminateHeader header, String rawHex) {
        machine.peerTerminated(header, rawHex);
    }
}
