package org.warpnfs.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.watch.Watch;

/** A server with an admin socket, and a client of that socket. */
public final class AdminFixture implements AutoCloseable {
    public final WarpServer server;
    public final Watch watch;
    final AdminServer admin;
    final AdminClient client;

    public AdminFixture(Path directory) throws Exception {
        this(directory, InMemory.config(":/", 16 << 20, Duration.ofSeconds(90)));
    }

    AdminFixture(Path directory, ServerConfig config) throws Exception {
        watch = Watch.unseen("test");
        server = WarpServer.start(config, ServerLimits.DEFAULT, watch.recorder());
        watch.serves(server);
        Path socket = directory.resolve("admin.sock");
        admin = AdminServer.start(
                socket, new Administered(server, watch, () -> server.reload(List.copyOf(config.exports()))));
        client = new AdminClient(socket);
    }

    /** Returns the rows of a table. */
    JsonNode rows(String path) throws Exception {
        return client.get(path).path("rows");
    }

    /** Makes an NFS client that is not yet known to the server. */
    public StateHolder holder(int minor, String name) throws Exception {
        return new StateHolder(server.tcpAddress(), minor, name);
    }

    /** Returns the path of the admin socket. */
    public Path socket() {
        return admin.path();
    }

    @Override
    public void close() {
        admin.close();
        server.close();
        watch.close();
    }
}
