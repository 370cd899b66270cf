package org.warpnfs.server;

import org.warpnfs.iwarp.mpa.CrcPolicy;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.LayerLimits;
import org.warpnfs.server.limits.ServerLimits;

/** Creates the iWARP transport from the configuration. */
final class Iwarp {
    private Iwarp() {}

    static IwarpTransport transport(ServerConfig config, ServerLimits limits) {
        CrcPolicy crc =
                switch (config.rdma().crc()) {
                    case OFF -> CrcPolicy.OFF;
                    case ON -> CrcPolicy.REQUIRED;
                };
        MpaChoices mpa = MpaChoices.defaults()
                .withCrcPolicy(crc)
                .withMarkers(config.rdma().markers());
        return new IwarpTransport(LayerLimits.iwarp(limits, mpa, config.rdma().fpdus()));
    }
}
