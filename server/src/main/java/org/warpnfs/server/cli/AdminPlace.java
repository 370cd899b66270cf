package org.warpnfs.server.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.admin.AdminClient;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;
import picocli.CommandLine.Option;

/** The options of commands for a running server: the path of its socket, and JSON output. */
final class AdminPlace {
    /** The name of the socket in the state directory. */
    private static final String FILE = "admin.sock";
    /** The environment variable with the path of the socket, used without {@code --admin}. */
    static final String VARIABLE = "WARPNFS_ADMIN";

    /** The directory of the socket in a state directory that others may write to. */
    private static final String APART = "admin";

    private static final String OFF = "off";

    @Option(
            names = "--admin",
            paramLabel = "PATH",
            description =
                    "The server's admin socket. Default: the variable " + VARIABLE + ", else " + FILE + " in the state "
                            + "directory: that of the variable " + StateHome.VARIABLE + ", else the default one.")
    private @Nullable Path socket;

    @Option(names = "--json", description = "Print the server's answer as JSON, for programs.")
    private boolean json;

    boolean json() {
        return json;
    }

    AdminClient client() throws ConfigException {
        return new AdminClient(path(System.getenv()));
    }

    /** @throws ConfigException if the environment says that the server has no socket */
    Path path(Map<String, String> environment) throws ConfigException {
        if (socket != null) {
            return socket;
        }
        String named = environment.getOrDefault(VARIABLE, "");
        if (named.equalsIgnoreCase(OFF)) {
            throw new ConfigException(
                    VARIABLE + " is off: such a server has no admin socket; name a socket with --admin PATH");
        }
        if (!named.isEmpty()) {
            return PathText.of(VARIABLE, named);
        }
        Path directory = StateHome.ofServer(environment);
        return !Files.exists(in(directory)) && Files.exists(apartIn(directory)) ? apartIn(directory) : in(directory);
    }

    /** Returns the path of the socket in a state directory. */
    static Path in(Path state) {
        return state.resolve(FILE);
    }

    /** Returns the path of the socket in a state directory that others may write to: in a private directory. */
    static Path apartIn(Path state) {
        return state.resolve(APART).resolve(FILE);
    }
}
