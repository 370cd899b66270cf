package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.settings.Mistakes;
import org.warpnfs.server.settings.Origin;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Said;
import org.warpnfs.server.settings.Settings;

/** The backend by the settings {@code backend}, {@code plugins} and {@code backendOption}. */
final class BackendChoice {
    private BackendChoice() {}

    static Backend of(Resolved settings) {
        return switch (name(settings)) {
            case "local" -> Backend.LOCAL;
            case "memory" -> Backend.MEMORY;
            default -> Backend.PLUGIN;
        };
    }

    private static String name(Resolved settings) {
        return settings.get(Settings.BACKEND).toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the chosen plug-in; null if the backend is built in. Loads nothing.
     *
     * @throws ConfigException with all mistakes in options
     */
    static @Nullable PluginChoice plugin(Resolved settings) throws ConfigException {
        if (of(settings) != Backend.PLUGIN) {
            return null;
        }
        Mistakes mistakes = new Mistakes();
        Map<String, PluginChoice.Option> byKey = new HashMap<>();
        List<PluginChoice.Option> options = new ArrayList<>();
        for (Said said : settings.words(Settings.BACKEND_OPTION)) {
            mistakes.tried(false, () -> {
                PluginChoice.Option option = PluginChoice.Option.parse(place(said), said.text());
                PluginChoice.Option before = byKey.putIfAbsent(option.key(), option);
                if (before != null) {
                    throw new ConfigException(
                            option.place() + ": " + option.key() + " is set already (" + before.place() + ")");
                }
                return options.add(option);
            });
        }
        mistakes.end();
        String directory = settings.get(Settings.PLUGINS);
        Path plugins = directory.isEmpty() ? null : PathText.of(settings.at(Settings.PLUGINS), directory);
        return new PluginChoice(name(settings), settings.at(Settings.BACKEND), plugins, options);
    }

    private static String place(Said said) {
        return said.origin() instanceof Origin.InFile file
                ? file + ": " + Settings.BACKEND_OPTION.key()
                : said.origin().toString();
    }
}
