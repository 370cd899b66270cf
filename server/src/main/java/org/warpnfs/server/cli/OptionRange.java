package org.warpnfs.server.cli;

import org.warpnfs.server.config.ByteSize;
import org.warpnfs.server.config.ConfigException;

/** Checks numbers of options. For a number out of range an exception names the option and the range. */
final class OptionRange {
    private OptionRange() {}

    static int within(String option, int value, int min, int max) throws ConfigException {
        if (value < min || value > max) {
            throw new ConfigException(option + " " + value + ": not within " + min + ".." + max);
        }
        return value;
    }

    /** Parses a size and returns its bytes. */
    static long sizeWithin(String option, String text, long min, long max) throws ConfigException {
        long value = ByteSize.parse(option, text);
        if (value < min || value > max) {
            throw new ConfigException(option + " " + text + ": not within " + min + ".." + max + " bytes");
        }
        return value;
    }
}
