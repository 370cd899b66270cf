package org.warpnfs.server.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Parses paths in the configuration. */
public final class PathText {
    private PathText() {}

    /**
     * Returns the path.
     *
     * @param what the beginning of the message: where the path was written
     * @throws ConfigException if the text is not a valid path
     */
    public static Path of(String what, String text) throws ConfigException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            boolean isNul = text.indexOf('\0') >= 0;
            throw new ConfigException(
                    what + ": " + text.replace('\0', '?') + " is not a path: "
                            + (isNul
                                    ? "it contains a zero byte"
                                    : "this process has no such letters; start it with LC_ALL=C.UTF-8"),
                    e);
        }
    }
}
