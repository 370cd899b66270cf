package org.warpnfs.server.settings;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that an operator may choose. Each object is one row of {@link Settings}; two are equal if they are the
 * same.
 *
 * @param <T> its value
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

    /** One that the file and the environment have, and no option. */
    static <T> Setting<T> of(String key, Kind<T> kind, T standard, String... about) {
        return new Setting<>(key, kind, standard, kind.written(standard), null, "", List.of(about), "");
    }

    /** The same as an option of the command line too. */
    Setting<T> flag(String name, String paramLabel) {
        return new Setting<>(key, kind, standard, shownStandard, name, paramLabel, about, reason);
    }

    /** What people read of the default, where that depends on the host or is nothing. */
    Setting<T> shown(String text) {
        return new Setting<>(key, kind, standard, text, flag, label, about, reason);
    }

    /** Why the default is what it is. */
    Setting<T> because(String text) {
        return new Setting<>(key, kind, standard, shownStandard, flag, label, about, text);
    }

    /** Its name in the file, with those of the mappings that it is in: {@code limits.connections.most}. */
    public String key() {
        return key;
    }

    public Kind<T> kind() {
        return kind;
    }

    /** What holds where nobody says anything. */
    public T standard() {
        return standard;
    }

    /** The same for people. */
    public String shownStandard() {
        return shownStandard;
    }

    /** The option of {@code serve}, such as {@code --rdma-port}; null if there is none. */
    public @Nullable String flag() {
        return flag;
    }

    /** What stands behind the option in its help; empty if nothing does. */
    public String label() {
        return label;
    }

    /** Sentences, as lines of help. */
    public List<String> about() {
        return about;
    }

    /** Why the default is what it is; empty if that needs no reason. */
    public String reason() {
        return reason;
    }

    /** A value, for people. */
    String shownValue(T value) {
        return value.equals(standard) ? shownStandard : kind.written(value);
    }

    /** The variable of the environment: {@code WARPNFS_}, and the key in capitals. */
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

    /** How messages about a value from there begin. */
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
