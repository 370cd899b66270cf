package org.warpnfs.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A backend that is not built in, as it was configured.
 *
 * @param name its name, in lower case
 * @param place where the name was written
 * @param directory the directory of plug-ins; null if none was given
 * @param options its options
 */
public record PluginChoice(
        String name, String place, @Nullable Path directory, List<Option> options) {
    public PluginChoice {
        options = List.copyOf(options);
    }

    /** The same with one option set, whatever was written. */
    public PluginChoice with(String key, String value) {
        List<Option> changed = new ArrayList<>(options);
        changed.removeIf(option -> option.key().equals(key));
        changed.add(new Option(key, value, place));
        return new PluginChoice(name, place, directory, changed);
    }

    /**
     * An option of the backend.
     *
     * @param place where it was written
     */
    public record Option(String key, String value, String place) {
        /**
         * Parses {@code KEY=VALUE}.
         *
         * @throws ConfigException if there is no key
         */
        public static Option parse(String place, String text) throws ConfigException {
            int equals = text.indexOf('=');
            if (equals <= 0) {
                throw new ConfigException(place + " " + text + ": is not KEY=VALUE");
            }
            return new Option(text.substring(0, equals), text.substring(equals + 1), place + " " + text);
        }
    }
}
