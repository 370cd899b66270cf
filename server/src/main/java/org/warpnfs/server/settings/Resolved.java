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
 * Every setting with the value that is in force, and where it comes from: the command line before the environment
 * before the file before the defaults. A list is taken from one source as a whole. Immutable.
 */
public final class Resolved {
    /** A value in force. */
    private record Value(Object value, Origin origin, List<Said> words) {}

    private final Map<Setting<?>, Value> values = new LinkedHashMap<>();

    private Resolved() {}

    /**
     * Resolves all settings.
     *
     * @param flags what the command line says, of each of its options that stands there
     * @param environment all of it
     * @param file the configuration file, as the command line has it; null if it has none: then {@code WARPNFS_CONFIG}
     *     counts
     * @param mistakes takes what is wrong. Each setting that is wrong has its default here, so that what is made of it
     *     may be wrong too
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

    /** The same of sources, the strongest first. */
    static Resolved of(List<Source> sources, Mistakes mistakes) {
        Resolved resolved = new Resolved();
        for (Setting<?> setting : Settings.ALL) {
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
        // A mistake in a source that is overruled is one all the same.
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

    /** Sets a default that would not go with what was said. */
    <T> void follow(Setting<T> setting, T value, String other) {
        values.put(setting, new Value(value, new Origin.Follows(other), List.of()));
    }

    /** The value in force. */
    public <T> T get(Setting<T> setting) {
        @SuppressWarnings("unchecked") // put there as what the setting's kind has read
        T value = (T) entry(setting).value();
        return value;
    }

    public Origin origin(Setting<?> setting) {
        return entry(setting).origin();
    }

    /** Its words with the place of each; none where it has its default. */
    public List<Said> words(Setting<?> setting) {
        return entry(setting).words();
    }

    /** The value for people. */
    public <T> String shown(Setting<T> setting) {
        return setting.shownValue(get(setting));
    }

    /** How a message about the value in force begins. */
    public String at(Setting<?> setting) {
        return origin(setting).isSaid() ? setting.at(origin(setting)) : setting.key();
    }

    /** The value and where it comes from, for messages that name several settings. */
    public <T> String told(Setting<T> setting) {
        return setting.key() + " " + setting.kind().written(get(setting)) + " (" + origin(setting) + ")";
    }

    private Value entry(Setting<?> setting) {
        return Objects.requireNonNull(values.get(setting));
    }

    /** The limits that are wanted, before they are fitted to the process. */
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
