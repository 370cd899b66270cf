package org.warpnfs.server.admin;

import java.util.List;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.watch.Watch;

/**
 * What an administrator has before him.
 *
 * @param watch looks at the server
 * @param reload reads its exports again
 */
public record Administered(WarpServer server, Watch watch, Reload reload) {
    /** Exports that are written somewhere, and may have been written anew. */
    @FunctionalInterface
    public interface Reload {
        /**
         * Reads and serves them.
         *
         * @return what has changed, a line each
         * @throws ConfigException with one line that says why nothing has changed
         */
        List<String> report() throws ConfigException;
    }
}
