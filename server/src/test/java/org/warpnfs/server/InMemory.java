package org.warpnfs.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;

/** Servers on free ports of the loopback that keep one export in memory and remember nothing. */
public final class InMemory {
    private InMemory() {}

    /**
     * What such a server is told.
     *
     * @param export as on the command line: {@code :/PATH,OPTION...}
     * @param sizeBytes of the file system, and of the payload pool
     */
    public static ServerConfig config(String export, int sizeBytes, Duration lease) throws ConfigException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ServerConfig(
                List.of(ExportSpec.parse(export)),
                Backend.MEMORY,
                sizeBytes,
                any,
                any,
                null,
                RdmaChoices.DEFAULT,
                lease,
                4,
                sizeBytes,
                Duration.ofSeconds(5),
                IdentityChoices.DEFAULT);
    }
}
