package org.warpnfs.iwarp.qp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.MpaError;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaFrameReader;
import org.warpnfs.iwarp.mpa.MpaNegotiation;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/**
 * The responder's side of the startup. It reads one request, the upper layer decides, and it sends one reply. Nothing
 * else is sent before the initiator's first FPDU.
 */
final class ResponderStartup implements Startup, ConnectionRequest {
    private final StreamStart start;
    private final MpaChoices choices;
    private final ConnectionRequestHandler decider;
    private final MpaFrameReader reader = new MpaFrameReader(MpaFrame.Kind.REQUEST);
    private @Nullable MpaFrame request;
    private boolean answered;

    ResponderStartup(StreamStart start, MpaChoices choices, ConnectionRequestHandler decider) {
        this.start = start;
        this.choices = choices;
        this.decider = decider;
    }

    @Override
    public void received(ByteBuffer in) throws MpaViolation {
        if (request == null) {
            MpaFrame frame = reader.read(in);
            if (frame == null) {
                return;
            }
            MpaNegotiation.checkRevision(frame, choices);
            request = frame;
            if (!in.hasRemaining()) {
                decider.connectionRequested(this);
                return;
            }
        }
        throw new MpaViolation(
                MpaError.BAD_FRAME, in.remaining() + " bytes before our reply (RFC 5044, section 7.1.2)");
    }

    private MpaFrame request() {
        MpaFrame frame = request;
        if (frame == null) {
            throw new IllegalStateException("no request has arrived");
        }
        return frame;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return start.remoteAddress();
    }

    @Override
    public ByteBuffer privateData() {
        return request().upperLayerPrivateData();
    }

    @Override
    public int peerIrd() {
        return request().hasEnhancedBlock()
                ? MpaNegotiation.peerReads(request().enhancedBlock().ird(), ConnectOptions.MAX_READS)
                : ConnectOptions.MAX_READS;
    }

    @Override
    public int peerOrd() {
        return request().hasEnhancedBlock()
                ? MpaNegotiation.peerReads(request().enhancedBlock().ord(), ConnectOptions.MAX_READS)
                : ConnectOptions.MAX_READS;
    }

    @Override
    public void accept(ConnectOptions options, QueuePairHandler handler) {
        checkUnanswered();
        start.checkAnswerable();
        ConnectOptions granted = start.take(options);
        answered = true;
        MpaNegotiation.Answer answer =
                MpaNegotiation.accept(request(), choices, granted.ird(), granted.ord(), granted.privateData());
        start.accepted(answer.reply(), answer.agreement(), privateData(), granted.extensions(), handler);
    }

    @Override
    public void reject(ByteBuffer privateData) {
        checkUnanswered();
        if (privateData.remaining() > ConnectOptions.MAX_PRIVATE_DATA_BYTES) {
            throw new IllegalArgumentException("private data of " + privateData.remaining() + " bytes, limit "
                    + ConnectOptions.MAX_PRIVATE_DATA_BYTES);
        }
        answered = true;
        start.refuse(
                MpaNegotiation.reject(request(), privateData), DisconnectReason.Cause.REJECTED + " by the upper layer");
    }

    private void checkUnanswered() {
        if (answered) {
            throw new IllegalStateException("the request was answered already");
        }
    }
}
