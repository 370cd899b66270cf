package org.warpnfs.server.config;

import java.util.List;

/** Reports mistakes in the configuration. Each mistake is one line that says what is wrong and where. */
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

    /** Reports several mistakes that were found together; at least one. */
    public ConfigException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = mistakes.toArray(String[]::new);
    }

    /** Returns all mistakes. */
    public List<String> mistakes() {
        return List.of(mistakes);
    }
}
