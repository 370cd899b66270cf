package org.warpnfs.server.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** A path that an operator wrote. */
public final class PathText {
    private PathText() {}

    /**
     * The path that is meant.
     *
     * @param what how the message begins: where it was written
     * @throws ConfigException if no file can be called so
     */
    public static Path of(String what, String text) throws ConfigException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            boolean isNul = text.indexOf('\0') >= 0;
            throw new ConfigException(
                    what + ": " + text.replace('\0', '?') + " is no path: "
                            + (isNul
                                    ? "it has a zero byte in it"
                                    : "this process has no such letters; start it with LC_ALL=C.UTF-8"),
                    e);
        }
    }
}
