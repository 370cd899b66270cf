package org.warpnfs.iwarp.qp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaAgreement;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.RdmapExtensions;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionParameters;
import org.warpnfs.iwarp.verbs.PeerReads;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.Rejection;

/**
 * The beginning of a stream. It carries out the decisions of the two roles of {@link Startup} and stores what was
 * agreed on.
 *
 * <h2>Operation</h2>
 *
 * The startup ends with one of {@link #accepted}, {@link #refuse}, {@link #concluded} and {@link #rejected}. After
 * {@link #accepted} the initiator's first FPDU is still awaited ({@link #fpduArrived}).
 *
 * <h2>Buffers</h2>
 *
 * Frames are copied.
 *
 * <h2>Errors</h2>
 *
 * Violations are passed to the caller.
 */
final class StreamStart {
    private final QueuePair queuePair;
    private final QueuePairLink link;
    private final SharedResources shared;
    private final InboundStream inbound;
    private final Transmitter transmitter;
    private final StreamLife life;
    private final Turns turns;
    private final Upcalls upcalls;
    private final ConnectionTerms terms;
    private final StreamDeadlines deadlines;
    private Startup startup;
    private @Nullable MpaAgreement agreement;
    private boolean closeAfterReply;

    StreamStart(
            QueuePair queuePair,
            QueuePairLink link,
            QueuePairConfig config,
            SharedResources shared,
            InboundStream inbound,
            Transmitter transmitter,
            StreamLife life,
            Turns turns,
            Upcalls upcalls,
            ConnectionTerms terms,
            StreamDeadlines deadlines,
            Role role) {
        this.queuePair = queuePair;
        this.link = link;
        this.shared = shared;
        this.inbound = inbound;
        this.transmitter = transmitter;
        this.life = life;
        this.turns = turns;
        this.upcalls = upcalls;
        this.terms = terms;
        this.deadlines = deadlines;
        this.startup = switch (role) {
            case Role.Responder responder -> new ResponderStartup(this, config.mpa(), responder.decider());
            case Role.Initiator initiator -> {
                upcalls.tellTo(initiator.handler(), queuePair);
                terms.extend(initiator.options().extensions());
                yield new InitiatorStartup(this, config.mpa(), take(initiator.options()));
            }
        };
    }

    /** The link is up. */
    void begin() {
        if (life.state() != StreamState.STARTUP) {
            return;
        }
        deadlines.startup();
        if (startup instanceof InitiatorStartup initiator) {
            sendFrame(initiator.request());
        }
    }

    /** Consumes bytes of the peer's frame. */
    void received(ByteBuffer in) throws MpaViolation {
        startup.received(in);
    }

    /** The transmitter has no more output. If its output was a refusal, our direction ends. */
    void outputDone() {
        if (closeAfterReply && transmitter.idle()) {
            closeAfterReply = false;
            link.endOutput();
        }
    }

    /** An FPDU is complete. It may be the first, which the responder waits for. */
    void fpduArrived() {
        if (life.state() == StreamState.WAIT_FIRST) {
            open();
        } else {
            life.fpduArrived();
        }
    }

    /** Whether an RTR of this kind may open the stream. */
    boolean expects(RtrKind kind) {
        return life.state() == StreamState.WAIT_FIRST
                && agreement != null
                && agreement.rtrKinds().contains(kind);
    }

    /**
     * The connection has ended. If an initiator has not received any byte of a reply, the peer may not understand the
     * request. Then this starts again with a request of the older revision, over a new connection, without telling the
     * upper layer.
     *
     * @return whether it started again
     */
    boolean fallsBack() {
        return startup instanceof InitiatorStartup initiator && !initiator.answered() && fallsBackFrom(initiator);
    }

    /** Starts again with a request of the older revision, for an initiator that has received a reply. */
    boolean fallsBackFrom(InitiatorStartup initiator) {
        InitiatorStartup older = initiator.fallBack();
        if (life.state() != StreamState.STARTUP || older == null) {
            return false;
        }
        startup = older;
        deadlines.clear();
        transmitter.restart();
        link.reconnect();
        return true;
    }

    // What the two roles call.

    InetSocketAddress remoteAddress() {
        return link.remoteAddress();
    }

    /**
     * Joins the shared objects that the upper layer's options name.
     *
     * @return the options, reduced to the limits
     */
    ConnectOptions take(ConnectOptions options) {
        return shared.take(options, turns::execute);
    }

    /** As responder, checks that an answer can still be sent. */
    void checkAnswerable() {
        if (life.state() != StreamState.STARTUP) {
            throw new IllegalStateException("the connection ended before its request was answered");
        }
    }

    /** As responder, accepts the connection. */
    void accepted(
            MpaFrame reply,
            MpaAgreement agreed,
            ByteBuffer peerPrivateData,
            Set<RdmaExtension> accepting,
            QueuePairHandler upperLayer) {
        upcalls.tellTo(upperLayer, queuePair);
        terms.extend(accepting);
        agree(agreed, peerPrivateData);
        terms.framed(agreed.framing());
        life.waitForFirst(!agreed.rtrKinds().isEmpty());
        try {
            upperLayer.created(queuePair);
        } catch (RuntimeException | Error e) {
            // The exception is not left to the caller. A decider that catches it and goes on would leave a connection
            // without an answer.
            life.bug(e);
        }
        if (life.state() == StreamState.WAIT_FIRST) {
            sendFrame(reply);
        }
        turns.leaveSoon();
    }

    /** As responder, refuses the connection. */
    void refuse(MpaFrame reply, String why) {
        if (life.state() != StreamState.STARTUP) {
            return;
        }
        life.refused(why);
        closeAfterReply = true;
        sendFrame(reply);
        turns.leaveSoon();
    }

    /** As initiator: the reply determines the framing, also if it is not acceptable otherwise. */
    void framed(MpaAgreement.Framing framing) {
        terms.framed(framing);
    }

    /** As initiator: the peer accepted. */
    void concluded(MpaAgreement agreed, ByteBuffer peerPrivateData) {
        agree(agreed, peerPrivateData);
        open();
        if (life.state() == StreamState.OPEN) {
            agreed.rtrKinds().forEach(transmitter::sendRtr);
        }
    }

    /** As initiator: the peer rejected the connection. */
    void rejected(MpaFrame reply) {
        PeerReads peerReads = reply.hasEnhancedBlock()
                ? new PeerReads(
                        reply.enhancedBlock().irdIfNamed(),
                        reply.enhancedBlock().ordIfNamed())
                : PeerReads.NONE;
        life.rejected(new Rejection(reply.upperLayerPrivateData(), peerReads));
    }

    private void sendFrame(MpaFrame frame) {
        ByteBuffer bytes = ByteBuffer.allocate(frame.lengthBytes());
        frame.encode(bytes);
        transmitter.sendRaw(bytes.flip());
        transmitter.want();
    }

    private void agree(MpaAgreement agreed, ByteBuffer peerPrivateData) {
        agreement = agreed;
        MpaAgreement.Reads reads = agreed.reads();
        shared.agreed(reads.ird());
        terms.agreed(new ConnectionParameters(
                link.localAddress(),
                link.remoteAddress(),
                peerPrivateData,
                reads.ird(),
                reads.ord(),
                agreed.framing().crc(),
                new PeerReads(reads.peerIrd(), reads.peerOrd()),
                agreed.revision()));
        Set<RdmaExtension> extensions = terms.extensions();
        RdmapExtensions known = new RdmapExtensions(
                extensions.contains(RdmaExtension.ATOMIC_OPERATIONS),
                extensions.contains(RdmaExtension.IMMEDIATE_DATA));
        inbound.open(agreed.framing(), known, reads.ird(), reads.ord());
    }

    private void open() {
        MpaAgreement agreed = agreement;
        if (agreed == null) {
            throw new IllegalStateException("the startup has no result yet");
        }
        life.open();
        transmitter.open(agreed.framing(), agreed.reads().ord());
        upcalls.established();
        transmitter.want();
        if (agreed.reads().ord() == 0 && transmitter.work().hasRequests()) {
            // The request was posted before the ORD was known. It would wait for ever, and so would all work behind it.
            life.giveUp("a Read or an atomic operation is posted, but the peer accepts none: ORD is 0");
        }
    }
}
