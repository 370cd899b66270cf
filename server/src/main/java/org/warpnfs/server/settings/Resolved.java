package org.warpnfs.server.settings;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.PathText;
import org.warpnfs.server.limits.LimitValues;
import org.warpnfs.server.limits.ServerLimits;

/**
 * All settings with their values in force and the sources of these. The command line overrides the environment, which
 * overrides the file, which overrides the defaults. A list is taken from one source as a whole. Immutable.
 */
public final class Resolved {
    /** A value in force. */
    private record Value(Object value, Origin origin, List<Said> words) {}

    private final Map<Setting<?>, Value> values = new LinkedHashMap<>();

    private Resolved() {}

    /**
     * Resolves all settings.
     *
     * @param flags the options that are present on the command line, with their values
     * @param environment all environment variables
     * @param file the configuration file from the command line; null if it names none: then {@code WARPNFS_CONFIG} does
     * @param mistakes collects mistakes. A setting with a mistake has its default here, so conclusions from it may be
     *     wrong
     */
    public static Resolved of(
            Map<Setting<?>, List<String>> flags,
            Map<String, String> environment,
            @Nullable Path file,
            Mistakes mistakes) {
        Path path = file != null ? file : fileOf(environment, mistakes);
        List<Source> sources = List.of(
                ofFlags(flags),
                EnvironmentReader.read(environment, mistakes),
                path == null ? new Source() : FileReader.read(path, mistakes));
        return of(sources, mistakes);
    }

    /** Resolves all settings from sources in the order of precedence. */
    static Resolved of(List<Source> sources, Mistakes mistakes) {
        Resolved resolved = new Resolved();
        for (Setting<?> setting : SettingIndex.ALL) {
            resolved.values.put(setting, resolved.value(setting, sources, mistakes));
        }
        Combinations.check(resolved, mistakes);
        return resolved;
    }

    private static @Nullable Path fileOf(Map<String, String> environment, Mistakes mistakes) {
        String said = environment.getOrDefault(EnvironmentReader.CONFIG, "");
        return said.isEmpty()
                ? null
                : mistakes.tried(Optional.<Path>empty(), () -> Optional.of(PathText.of(EnvironmentReader.CONFIG, said)))
                        .orElse(null);
    }

    private static Source ofFlags(Map<Setting<?>, List<String>> flags) {
        Source source = new Source();
        flags.forEach((setting, words) -> {
            Origin origin = new Origin.Flag(Objects.requireNonNull(setting.flag()));
            source.put(
                    setting,
                    origin,
                    words.stream().map(word -> new Said(word, origin)).toList());
        });
        return source;
    }

    private <T> Value value(Setting<T> setting, List<Source> sources, Mistakes mistakes) {
        Value standard = new Value(setting.standard(), new Origin.Default(), List.of());
        Value found = null;
        // A mistake in an overridden source is reported too.
        for (Source source : sources) {
            Source.Entry entry = source.of(setting);
            if (entry != null) {
                Value read = mistakes.tried(standard, () -> read(setting, entry));
                found = found == null ? read : found;
            }
        }
        return found == null ? standard : found;
    }

    private static <T> Value read(Setting<T> setting, Source.Entry entry) throws ConfigException {
        T value = setting.kind()
                .read(
                        setting.at(entry.origin()),
                        entry.words().stream().map(Said::text).toList());
        return new Value(value, entry.origin(), entry.words());
    }

    /** Replaces a default that contradicts the setting {@code other}. */
    <T> void follow(Setting<T> setting, T value, String other) {
        values.put(setting, new Value(value, new Origin.Follows(other), List.of()));
    }

    /** Returns the value in force. */
    public <T> T get(Setting<T> setting) {
        @SuppressWarnings("unchecked") // put there as what the setting's kind has read
        T value = (T) entry(setting).value();
        return value;
    }

    public Origin origin(Setting<?> setting) {
        return entry(setting).origin();
    }

    /** Returns the words of the value with their places; none if it is the default. */
    public List<Said> words(Setting<?> setting) {
        return entry(setting).words();
    }

    /** Returns the value as text. */
    public <T> String shown(Setting<T> setting) {
        return setting.shownValue(get(setting));
    }

    /** Returns the beginning of a message about the value in force. */
    public String at(Setting<?> setting) {
        return origin(setting).isSaid() ? setting.at(origin(setting)) : setting.key();
    }

    /** Returns the value and its source, for messages that name several settings. */
    public <T> String told(Setting<T> setting) {
        return setting.key() + " " + setting.kind().written(get(setting)) + " (" + origin(setting) + ")";
    }

    private Value entry(Setting<?> setting) {
        return Objects.requireNonNull(values.get(setting));
    }

    /** Returns the configured limits, before they are fitted to the process. */
    public ServerLimits limits() {
        Map<String, Object> numbers = new HashMap<>();
        values.forEach((setting, value) -> {
            if (setting.key().startsWith(LimitSettings.PREFIX)) {
                numbers.put(setting.key().substring(LimitSettings.PREFIX.length()), value.value());
            }
        });
        return LimitValues.limits(numbers);
    }
}
