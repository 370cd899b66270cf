package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.admin.AdminClient;
import picocli.CommandLine.Option;

/** Which server a command is for, and for whom its answer is. */
final class AdminPlace {
    /** The name of the socket in the state directory. */
    static final String FILE = "admin.sock";
    /** Names a socket where no option does. */
    static final String VARIABLE = "WARPNFS_ADMIN";

    @Option(
            names = "--admin",
            paramLabel = "PATH",
            description = "The server's admin socket. Default: the variable " + VARIABLE + ", else " + FILE
                    + " in the usual state directory.")
    private @Nullable Path socket;

    @Option(names = "--json", description = "Print the server's answer as JSON, for programs.")
    private boolean json;

    boolean json() {
        return json;
    }

    AdminClient client() {
        return new AdminClient(path(System.getenv()));
    }

    Path path(Map<String, String> environment) {
        if (socket != null) {
            return socket;
        }
        String named = environment.get(VARIABLE);
        return named == null || named.isEmpty() ? StateHome.usual(environment).resolve(FILE) : Path.of(named);
    }
}
