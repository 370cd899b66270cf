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

/** Where administrators are answered, if anywhere. */
final class AdminSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminSocket.class);
    private static final String OFF = "off";

    private final @Nullable AdminServer admin;

    private AdminSocket(@Nullable AdminServer admin) {
        this.admin = admin;
    }

    /**
     * Starts to answer for a server, which is closed if that cannot be.
     *
     * @param chosenBy how messages name who said so
     * @param said where to answer, or {@code off}; null if nobody said anything: then a place that cannot be had is
     *     done without
     * @param state the directory for what must outlive the server, if there is one
     * @throws ConfigException with one line that says what is in the way
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
                LOG.warn("warpnfs status and its like will find no server: {}", e.getMessage());
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

    /** In the directory within the state directory that is for the socket alone. */
    private static boolean isApart(Path path, @Nullable Path state) {
        return state != null
                && path.toAbsolutePath()
                        .normalize()
                        .equals(AdminPlace.apartIn(state).toAbsolutePath().normalize());
    }

    /** Where it answers, for people. */
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
