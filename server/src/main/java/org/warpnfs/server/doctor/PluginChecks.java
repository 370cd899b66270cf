package org.warpnfs.server.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.plugins.FoundBackend;
import org.warpnfs.server.plugins.Plugins;

/** Lists the backends that a server can use. */
public final class PluginChecks {
    private static final String SUBJECT = "backend";

    private PluginChecks() {}

    /**
     * Loads the plug-ins of a directory.
     *
     * @param directory null for none
     */
    public static List<Finding> of(@Nullable Path directory) {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(SUBJECT, "built in: local, memory"));
        if (directory != null) {
            Plugins plugins = Plugins.load(directory);
            for (FoundBackend found : plugins.backends().values()) {
                findings.add(Finding.ok(SUBJECT, found.line()));
            }
            for (String mistake : plugins.mistakes()) {
                findings.add(Finding.fail(SUBJECT, mistake, "mend it, or move it out of " + directory));
            }
        }
        return findings;
    }
}
