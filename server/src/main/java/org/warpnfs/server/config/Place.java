package org.warpnfs.server.config;

/**
 * A place in the configuration.
 *
 * @param source a file, or {@code --export}
 * @param line counted from 1; 0 if there are no lines
 */
public record Place(String source, int line) {
    /** Returns a mistake at this place. */
    ConfigException mistake(String what) {
        return new ConfigException(this + ": " + what);
    }

    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line;
    }
}
