package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.Map;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;

/** Where the state directory is unless someone says otherwise. */
final class StateHome {
    private StateHome() {}

    /** What a variable of the environment tells the server and its administrators. */
    static final String VARIABLE = "WARPNFS_STATE";

    /** That of a server which no option and no file tells another: the variable, else the usual one. */
    static Path ofServer(Map<String, String> environment) throws ConfigException {
        String named = environment.getOrDefault(VARIABLE, "");
        return named.isEmpty() ? usual(environment) : PathText.of(VARIABLE, named);
    }

    /**
     * {@code /var/lib/warpnfs} for root, else {@code warpnfs} below {@code $XDG_STATE_HOME} or {@code ~/.local/state}.
     */
    static Path usual(Map<String, String> environment) {
        if (System.getProperty("user.name").equals("root")) {
            return Path.of("/var/lib/warpnfs");
        }
        String stateHome = environment.get("XDG_STATE_HOME");
        return stateHome == null || stateHome.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".local", "state", "warpnfs")
                : Path.of(stateHome, "warpnfs");
    }
}
