package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.admin.AdminServer;
import org.warpnfs.server.admin.Administered;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;

/** The admin socket of a server, if it has one. */
final class AdminSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminSocket.class);
    private static final String OFF = "off";

    private final @Nullable AdminServer admin;

    private AdminSocket(@Nullable AdminServer admin) {
        this.admin = admin;
    }

    /**
     * Opens the socket of a server. If this fails, the server is closed.
     *
     * @param chosenBy the source of {@code said}, for messages
     * @param said the path, or {@code off}; null for the default, which is left out if it cannot be used
     * @param state the state directory; null if there is none
     * @throws ConfigException if the socket cannot be opened; one line gives the reason
     */
    static AdminSocket start(
            String chosenBy, @Nullable String said, @Nullable Path state, WatchedServer watched, ExportsReload reload)
            throws ConfigException {
        Path path = place(chosenBy, said, state);
        if (path == null) {
            return new AdminSocket(null);
        }
        Administered administered = new Administered(watched.server(), watched.watch(), reload::report);
        try {
            return new AdminSocket(
                    isApart(path, state)
                            ? AdminServer.startApart(path, administered)
                            : AdminServer.start(path, administered));
        } catch (ConfigException e) {
            if (said == null) {
                LOG.warn("warpnfs status and other admin commands will not find this server: {}", e.getMessage());
                return new AdminSocket(null);
            }
            watched.close();
            throw new ConfigException(chosenBy + " " + e.getMessage(), e);
        }
    }

    private static @Nullable Path place(String chosenBy, @Nullable String said, @Nullable Path state)
            throws ConfigException {
        if (said != null) {
            return said.equals(OFF) ? null : PathText.of(chosenBy, said);
        }
        if (state == null) {
            return null;
        }
        return AdminServer.isPrivate(state) ? AdminPlace.in(state) : AdminPlace.apartIn(state);
    }

    /** Returns whether the path is in the private directory within the state directory. */
    private static boolean isApart(Path path, @Nullable Path state) {
        return state != null
                && path.toAbsolutePath()
                        .normalize()
                        .equals(AdminPlace.apartIn(state).toAbsolutePath().normalize());
    }

    /** Returns a line of text with the path. */
    Optional<String> describe() {
        return Optional.ofNullable(admin).map(answering -> "admin   " + answering.path());
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close();
        }
    }
}
