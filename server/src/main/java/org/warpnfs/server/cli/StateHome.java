package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.Map;

/** Where the state directory is unless someone says otherwise. */
final class StateHome {
    private StateHome() {}

    /** {@code /var/lib/warpnfs} for root, else {@code warpnfs} below {@code $XDG_STATE_HOME} or {@code ~/.local/state}. */
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
