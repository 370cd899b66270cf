package org.warpnfs.server.config;

/** Something that the operator said cannot be done. The message is one line that says what and where. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
