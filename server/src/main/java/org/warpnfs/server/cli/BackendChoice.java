package org.warpnfs.server.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.CephProvider;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.settings.Mistakes;
import org.warpnfs.server.settings.Origin;
import org.warpnfs.server.settings.Resolved;
import org.warpnfs.server.settings.Said;
import org.warpnfs.server.settings.Setting;
import org.warpnfs.server.settings.Settings;

/** The backend by the settings {@code backend}, {@code plugins}, {@code backendOption} and those of Ceph. */
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
        if (name(settings).equals(CephProvider.NAME)) {
            return ceph(settings);
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

    /** The built-in provider, with settings of its own in place of options. */
    private static PluginChoice ceph(Resolved settings) {
        return new PluginChoice(
                CephProvider.NAME,
                settings.at(Settings.BACKEND),
                null,
                List.of(
                        ceph(settings, CephProvider.CONFIGURATION, Settings.CEPH_CONF),
                        ceph(settings, CephProvider.ID, Settings.CEPH_ID),
                        ceph(settings, CephProvider.FILE_SYSTEM, Settings.CEPH_FILESYSTEM)));
    }

    private static PluginChoice.Option ceph(Resolved settings, String option, Setting<String> setting) {
        return new PluginChoice.Option(option, settings.get(setting), settings.at(setting));
    }

    private static String place(Said said) {
        return said.origin() instanceof Origin.InFile file
                ? file + ": " + Settings.BACKEND_OPTION.key()
                : said.origin().toString();
    }
}
