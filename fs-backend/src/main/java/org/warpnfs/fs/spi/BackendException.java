package org.warpnfs.fs.spi;

import org.jspecify.annotations.Nullable;

/** Says why a {@link BackendProvider} cannot open a file system. The message is one line for the administrator. */
public final class BackendException extends Exception {
    private static final long serialVersionUID = 1L;

    private final @Nullable String option;

    private BackendException(@Nullable String option, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.option = option;
    }

    /** Something is wrong with the source, or with what it contains. */
    public static BackendException ofSource(String message) {
        return new BackendException(null, message, null);
    }

    /** The same, with the exception that says more. Its stack trace goes to the log. */
    public static BackendException ofSource(String message, Throwable cause) {
        return new BackendException(null, message, cause);
    }

    /**
     * The value of an option is wrong.
     *
     * @param option its name; the server adds where it was written
     */
    public static BackendException ofOption(String option, String message) {
        return new BackendException(option, message, null);
    }

    /** The option whose value is wrong; null if it is not an option. */
    public @Nullable String option() {
        return option;
    }
}
