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

/** A server with an admin socket, and one who asks there. */
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

    /** The rows of a table. */
    JsonNode rows(String path) throws Exception {
        return client.get(path).path("rows");
    }

    /** A client that has not introduced itself yet. */
    public StateHolder holder(int minor, String name) throws Exception {
        return new StateHolder(server.tcpAddress(), minor, name);
    }

    /** Where it is asked. */
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
