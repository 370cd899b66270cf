package org.warpnfs.fs.spi;

import java.util.List;
import java.util.Map;

/**
 * Opens file systems of one kind. A plug-in contains a public class with this interface and a public constructor
 * without parameters, and names it in {@code META-INF/services/org.warpnfs.fs.spi.BackendProvider}
 * ({@link java.util.ServiceLoader}).
 *
 * <p>A server creates one provider and calls {@link #open} once for each different source of its exports. Providers are
 * called by one thread at a time. Whatever a method throws ends that call, never the server.
 */
public interface BackendProvider {
    /** The name for {@code --backend}: up to 32 lower-case letters, digits and hyphens, beginning with a letter. */
    String name();

    /** One sentence for administrators: what the backend serves, and what the source of an export means to it. */
    String about();

    /** The options that {@link #open} takes; none by default. */
    default List<BackendOption> options() {
        return List.of();
    }

    /**
     * Opens a file system.
     *
     * @param source the part of {@code --export SOURCE:/PATH} before the colon, as it was written; empty if there is
     *     none. Exports with the same source share one file system
     * @param options a value for each of {@link #options}: what the administrator wrote, or the default
     * @throws BackendException if the file system cannot be served; the server does not start then
     */
    FileSystem open(String source, Map<String, String> options, BackendEnvironment environment) throws BackendException;
}
