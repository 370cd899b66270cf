package org.warpnfs.server.plugins;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.CephProvider;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.NearestWord;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.settings.Mistakes;

/**
 * The backends of a directory of plug-ins.
 *
 * @param backends those that could be loaded, by their names
 * @param mistakes what is wrong with the directory: one line for each plug-in that cannot be loaded, and for each name
 *     that two plug-ins use
 */
public record Plugins(Map<String, FoundBackend> backends, List<String> mistakes) {
    /** The names that plug-ins cannot have. */
    static final List<String> BUILT_IN = List.of("local", "memory", CephProvider.NAME);

    /** Loads all plug-ins of a directory. */
    public static Plugins load(Path directory) {
        Mistakes mistakes = new Mistakes();
        Map<String, FoundBackend> backends = new LinkedHashMap<>();
        for (PluginFiles plugin : PluginFiles.in(directory, mistakes)) {
            for (FoundBackend found : mistakes.tried(List.<FoundBackend>of(), () -> PluginLoader.load(plugin))) {
                FoundBackend same = backends.putIfAbsent(found.name(), found);
                if (same != null) {
                    mistakes.add(
                            found.from() + ": has a backend named " + found.name() + ", and so has " + same.from());
                }
            }
        }
        return new Plugins(backends, mistakes.all());
    }

    /**
     * Loads plug-ins and returns the chosen backend with its options.
     *
     * @throws ConfigException with all mistakes: of the directory, then of the choice, then of its options
     */
    public static ChosenBackend chosen(PluginChoice choice) throws ConfigException {
        if (choice.name().equals(CephProvider.NAME)) {
            return ChosenBackend.of(ceph(), choice);
        }
        Path directory = choice.directory();
        Plugins plugins = directory == null ? new Plugins(Map.of(), List.of()) : load(directory);
        FoundBackend found = plugins.backends.get(choice.name());
        List<String> mistakes = new ArrayList<>(plugins.mistakes);
        if (found == null) {
            mistakes.add(plugins.missing(choice));
        }
        if (found == null || !mistakes.isEmpty()) {
            throw new ConfigException(mistakes);
        }
        return ChosenBackend.of(found, choice);
    }

    /** The provider that is built in, which is guarded as those of plug-ins are. */
    private static FoundBackend ceph() {
        CephProvider ceph = new CephProvider();
        return new FoundBackend(ceph.name(), ceph.about(), ceph.options(), ceph, Path.of("built in"));
    }

    private String missing(PluginChoice choice) {
        List<String> names = new ArrayList<>(BUILT_IN);
        names.addAll(backends.keySet());
        @Nullable Path directory = choice.directory();
        return choice.place() + " " + choice.name() + ": there is no such backend"
                + NearestWord.nearest(choice.name(), names)
                        .map(near -> "; did you mean '" + near + "'?")
                        .orElse("")
                + "; built in are " + String.join(", ", BUILT_IN) + "; "
                + (directory == null
                        ? "no plug-ins were searched, because plugins (--plugins) names no directory"
                        : "in " + directory + " "
                                + (backends.isEmpty() ? "are none" : "are " + String.join(", ", backends.keySet())));
    }

    /**
     * Checks the backend of a configuration, without opening a file system.
     *
     * @throws ConfigException with all mistakes
     */
    public static void check(ServerConfig config) throws ConfigException {
        PluginChoice plugin = config.plugin();
        if (plugin != null) {
            ChosenBackend _ = chosen(plugin);
        }
    }
}
