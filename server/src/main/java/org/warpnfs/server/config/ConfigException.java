package org.warpnfs.server.config;

import java.util.List;

/** Something that the operator said cannot be done. Each mistake is one line that says what and where. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String[] mistakes;

    public ConfigException(String message) {
        super(message);
        this.mistakes = new String[] {message};
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
        this.mistakes = new String[] {message};
    }

    /** Several mistakes, at least one, that were found together. */
    public ConfigException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = mistakes.toArray(String[]::new);
    }

    /** All of them. */
    public List<String> mistakes() {
        return List.of(mistakes);
    }
}
