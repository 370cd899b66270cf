package org.warpnfs.server.settings;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A setting. Each object is one row of {@link Settings}; equality is identity.
 *
 * @param <T> the type of its value
 */
public final class Setting<T> {
    private final String key;
    private final Kind<T> kind;
    private final T standard;
    private final String shownStandard;
    private final @Nullable String flag;
    private final String label;
    private final List<String> about;
    private final String reason;

    private Setting(
            String key,
            Kind<T> kind,
            T standard,
            String shownStandard,
            @Nullable String flag,
            String label,
            List<String> about,
            String reason) {
        this.key = key;
        this.kind = kind;
        this.standard = standard;
        this.shownStandard = shownStandard;
        this.flag = flag;
        this.label = label;
        this.about = about;
        this.reason = reason;
    }

    /** Returns a setting for the file and the environment, without an option. */
    static <T> Setting<T> of(String key, Kind<T> kind, T standard, String... about) {
        return new Setting<>(key, kind, standard, kind.written(standard), null, "", List.of(about), "");
    }

    /** Returns this setting with an option of the command line. */
    Setting<T> flag(String name, String paramLabel) {
        return new Setting<>(key, kind, standard, shownStandard, name, paramLabel, about, reason);
    }

    /** Returns this setting with a description of its default, for defaults that depend on the host or are empty. */
    Setting<T> shown(String text) {
        return new Setting<>(key, kind, standard, text, flag, label, about, reason);
    }

    /** Returns this setting with the reason of its default. */
    Setting<T> because(String text) {
        return new Setting<>(key, kind, standard, shownStandard, flag, label, about, text);
    }

    /** Returns its name in the file, including the names of enclosing mappings: {@code limits.connections.most}. */
    public String key() {
        return key;
    }

    public Kind<T> kind() {
        return kind;
    }

    /** Returns the default. */
    public T standard() {
        return standard;
    }

    /** Returns the default as text. */
    public String shownStandard() {
        return shownStandard;
    }

    /** Returns the option of {@code serve}, such as {@code --rdma-port}; null if there is none. */
    public @Nullable String flag() {
        return flag;
    }

    /** Returns the label of the option's parameter in the help; empty if it has none. */
    public String label() {
        return label;
    }

    /** Returns the description as lines of help. */
    public List<String> about() {
        return about;
    }

    /** Returns the reason of the default; empty if there is none. */
    public String reason() {
        return reason;
    }

    /** Returns a value as text. */
    String shownValue(T value) {
        return value.equals(standard) ? shownStandard : kind.written(value);
    }

    /** Returns the environment variable: {@code WARPNFS_} and the key in capitals. */
    public String variable() {
        StringBuilder name = new StringBuilder("WARPNFS_");
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (Character.isUpperCase(c)) {
                name.append('_');
            }
            name.append(c == '.' ? '_' : c);
        }
        return name.toString().toUpperCase(Locale.ROOT);
    }

    /** Returns the beginning of messages about a value from {@code origin}. */
    String at(Origin origin) {
        return switch (origin) {
            case Origin.InFile _ -> origin + ": " + key;
            case Origin.Environment _, Origin.Flag _ -> origin.toString();
            case Origin.Default _, Origin.Follows _ -> key + " (" + origin + ")";
        };
    }

    @Override
    public String toString() {
        return key;
    }
}
