package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/**
 * An option of a backend, written {@code --backend-option NAME=VALUE}.
 *
 * @param name letters, digits and hyphens
 * @param meaning one sentence for administrators, with the allowed values
 * @param standard the value if the administrator gives none; null if the option is required
 */
public record BackendOption(
        String name, String meaning, @Nullable String standard) {
    /** Returns an option with a default. */
    public static BackendOption of(String name, String meaning, String standard) {
        return new BackendOption(name, meaning, standard);
    }

    /** Returns an option that the administrator must give. */
    public static BackendOption required(String name, String meaning) {
        return new BackendOption(name, meaning, null);
    }
}
