package org.warpnfs.server.plugins;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.BackendProvider;

/**
 * A backend of a plug-in.
 *
 * @param name as the provider says
 * @param about as the provider says
 * @param options as the provider says
 * @param from the plug-in's jar or directory
 */
public record FoundBackend(
        String name, String about, List<BackendOption> options, BackendProvider provider, Path from) {
    /** Returns the backend and its options in one line. */
    public String line() {
        return name + ": " + about + " (" + from + ")"
                + options.stream()
                        .map(option -> "; " + option.name() + ": " + option.meaning()
                                + (option.standard() == null ? " (required)" : " (default " + option.standard() + ")"))
                        .collect(Collectors.joining());
    }
}
