package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaFrameReader;
import org.warpnfs.iwarp.mpa.MpaNegotiation;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.verbs.ConnectOptions;

/** The initiator's side of the startup: one request is sent, one reply is read, and then both directions are open. */
final class InitiatorStartup implements Startup {
    private final StreamStart start;
    private final MpaChoices choices;
    private final ConnectOptions options;
    private final MpaFrame request;
    private final MpaFrameReader reader = new MpaFrameReader(MpaFrame.Kind.REPLY);

    InitiatorStartup(StreamStart start, MpaChoices choices, ConnectOptions options) {
        this.start = start;
        this.choices = choices;
        this.options = options;
        this.request = MpaNegotiation.request(choices, options.ird(), options.ord(), options.privateData());
    }

    MpaFrame request() {
        return request;
    }

    @Override
    public void received(ByteBuffer in) throws MpaViolation {
        MpaFrame reply = reader.read(in);
        if (reply == null) {
            return;
        }
        MpaNegotiation.checkRevision(reply, choices);
        if (reply.rejected()) {
            start.rejected(reply);
            return;
        }
        ResponderStartup.refuseMarkers(reply);
        start.framed(MpaNegotiation.framing(request, reply));
        start.concluded(
                MpaNegotiation.conclude(request, reply, choices, options.ird(), options.ord()),
                reply.upperLayerPrivateData());
    }
}
