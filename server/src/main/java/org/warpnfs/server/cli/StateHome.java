package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.Map;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;

/** Finds the default state directory. */
final class StateHome {
    private StateHome() {}

    /** The environment variable with the state directory, for the server and the admin commands. */
    static final String VARIABLE = "WARPNFS_STATE";

    /**
     * Returns the state directory of a server without an option or file that names one: that of the variable, else the
     * default.
     */
    static Path ofServer(Map<String, String> environment) throws ConfigException {
        String named = environment.getOrDefault(VARIABLE, "");
        return named.isEmpty() ? usual(environment) : PathText.of(VARIABLE, named);
    }

    /**
     * Returns {@code /var/lib/warpnfs} for root, else {@code warpnfs} below {@code $XDG_STATE_HOME} or
     * {@code ~/.local/state}.
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
