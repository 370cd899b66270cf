package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.warpnfs.iwarp.mpa.MpaFrame;
import org.warpnfs.iwarp.mpa.MpaFrameReader;
import org.warpnfs.iwarp.mpa.MpaNegotiation;
import org.warpnfs.iwarp.mpa.MpaViolation;
import org.warpnfs.iwarp.verbs.ConnectOptions;

/** The initiator's side of the startup: one request is sent, one reply is read, and then both directions are open. */
final class InitiatorStartup implements Startup {
    private final StreamStart start;
    private final MpaFrame request;
    private final MpaFrameReader reader = new MpaFrameReader(MpaFrame.Kind.REPLY);

    InitiatorStartup(StreamStart start, QueuePairConfig config, ConnectOptions options) {
        this.start = start;
        this.request = MpaNegotiation.request(
                config.crcPolicy(), options.ird(), options.ord(), config.peerToPeer(), options.privateData());
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
        if (reply.rejected()) {
            start.rejected(reply.upperLayerPrivateData());
        } else {
            start.concluded(MpaNegotiation.conclude(request, reply), reply.upperLayerPrivateData());
        }
    }
}
