package org.warpnfs.server;

import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpConfig;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.server.config.ServerConfig;

/** The iWARP transport as the configuration wants it. */
final class Iwarp {
    private Iwarp() {}

    static IwarpTransport transport(ServerConfig config) {
        CrcPolicy crc =
                switch (config.rdma().crc()) {
                    case OFF -> CrcPolicy.OFF;
                    case ON -> CrcPolicy.REQUIRED;
                };
        return new IwarpTransport(IwarpConfig.builder()
                .queuePair(QueuePairConfig.defaults()
                        .withMpa(MpaChoices.defaults()
                                .withCrcPolicy(crc)
                                .withMarkers(config.rdma().markers())))
                .build());
    }
}
