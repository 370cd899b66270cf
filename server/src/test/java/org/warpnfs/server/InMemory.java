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

/** Configurations of servers on free loopback ports, which keep one export in memory and have no state directory. */
public final class InMemory {
    private InMemory() {}

    /**
     * Returns the configuration of such a server.
     *
     * @param export the export as on the command line: {@code :/PATH,OPTION...}
     * @param sizeBytes the size of the file system and of the payload pool
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
