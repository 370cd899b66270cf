package org.warpnfs.server.admin;

import java.util.List;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.watch.Watch;

/**
 * What the admin socket controls.
 *
 * @param watch monitors the server
 * @param reload reads its exports again
 */
public record Administered(WarpServer server, Watch watch, Reload reload) {
    /** Reloads exports from their files. */
    @FunctionalInterface
    public interface Reload {
        /**
         * Reads and applies them.
         *
         * @return the changes, a line each
         * @throws ConfigException if nothing has changed because of a mistake; one line gives it
         */
        List<String> report() throws ConfigException;
    }
}
