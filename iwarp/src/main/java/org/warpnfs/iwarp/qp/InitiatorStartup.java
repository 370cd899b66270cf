package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaFrameReader;
import org.warpnfs.iwarp.mpa.MpaNegotiation;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.verbs.ConnectOptions;

/**
 * The initiator's side of the startup. It sends one request and reads one reply, then both directions are open. To a
 * peer that does not understand a request of revision 2 it sends one of revision 1, over a new connection (RFC 6581,
 * section 10).
 */
final class InitiatorStartup implements Startup {
    private final StreamStart start;
    private final MpaChoices choices;
    private final ConnectOptions options;
    private final MpaFrame request;
    private final MpaFrameReader reader = new MpaFrameReader(MpaFrame.Kind.REPLY);
    private boolean requested;
    private boolean answered;

    InitiatorStartup(StreamStart start, MpaChoices choices, ConnectOptions options) {
        this.start = start;
        this.choices = choices;
        this.options = options;
        this.request = MpaNegotiation.request(choices, options.ird(), options.ord(), options.privateData());
    }

    MpaFrame request() {
        requested = true;
        return request;
    }

    /**
     * The startup to try next, after the connection ended or the reply showed that the peer did not understand the
     * request; null if there is none left.
     */
    @Nullable
    InitiatorStartup fallBack() {
        boolean older = choices.fallBack() && choices.revision() > MpaFrame.REVISION_1;
        return older && requested
                ? new InitiatorStartup(start, choices.withRevision(MpaFrame.REVISION_1, false), options)
                : null;
    }

    /** Whether any byte of a reply has arrived. */
    boolean answered() {
        return answered;
    }

    @Override
    public void received(ByteBuffer in) throws MpaViolation {
        answered = true;
        MpaFrame reply = reader.read(in);
        if (reply == null) {
            return;
        }
        MpaNegotiation.checkRevision(reply, choices);
        if (!MpaNegotiation.understood(request, reply) && start.fallsBackFrom(this)) {
            in.position(in.limit());
            return;
        }
        if (reply.rejected()) {
            start.rejected(reply);
            return;
        }
        start.framed(MpaNegotiation.framing(request, reply));
        start.concluded(
                MpaNegotiation.conclude(request, reply, choices, options.ird(), options.ord()),
                reply.upperLayerPrivateData());
    }
}
