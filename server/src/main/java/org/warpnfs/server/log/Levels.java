package org.warpnfs.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * How much is logged, while the server runs. A change lasts until the server ends.
 *
 * <p>A logger is a package or a class by its full name, such as {@code org.warpnfs.nfs}, or {@value #ROOT} for all that
 * have no level of their own. Safe for any thread.
 */
public final class Levels {
    /** The logger of all others. */
    public static final String ROOT = "root";

    /** In place of a level: the one of the package above. */
    public static final String INHERITED = "inherited";

    private static final Map<String, Level> WORDS = Map.of(
            "off", Level.OFF,
            "error", Level.ERROR,
            "warn", Level.WARN,
            "info", Level.INFO,
            "debug", Level.DEBUG,
            "trace", Level.TRACE);

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*)*");

    /**
     * A logger is made by being named and never goes: so the longest name and how many strangers may be named are
     * bounded.
     */
    private static final int MAX_NAME = 200;

    private static final int MAX_LOGGERS = 4096;

    private Levels() {}

    /** Every logger that has a level of its own, with it. */
    public static SortedMap<String, String> list() {
        SortedMap<String, String> levels = new TreeMap<>();
        for (Logger logger : context().getLoggerList()) {
            Level level = logger.getLevel();
            if (level != null) {
                levels.put(nameOf(logger), word(level));
            }
        }
        return levels;
    }

    /**
     * The level that counts for a logger: its own, or that of the package above.
     *
     * @throws IllegalArgumentException with one line for people, if this is no name of a logger
     */
    public static String get(String logger) {
        String name = checked(logger);
        // Looked for without being made.
        for (String above = name; !above.isEmpty(); above = above.substring(0, Math.max(0, above.lastIndexOf('.')))) {
            Logger known = context().exists(above);
            if (known != null) {
                return word(known.getEffectiveLevel());
            }
        }
        return word(context().getLogger(Logger.ROOT_LOGGER_NAME).getEffectiveLevel());
    }

    /**
     * Sets the level of a logger, and of all below it that have none of their own.
     *
     * @param level {@code off}, {@code error}, {@code warn}, {@code info}, {@code debug}, {@code trace}, or
     *     {@value #INHERITED}; in any case of letters
     * @throws IllegalArgumentException with one line for people, if one of the two makes no sense; nothing has changed
     *     then
     */
    public static void set(String logger, String level) {
        String name = checked(logger);
        String word = level.toLowerCase(Locale.ROOT);
        boolean inherited = word.equals(INHERITED);
        Level wanted = WORDS.get(word);
        if (wanted == null && !inherited) {
            throw new IllegalArgumentException("no such level: " + shown(level)
                    + "; there are off, error, warn, info, debug, trace and " + INHERITED);
        }
        if (inherited && name.equals(Logger.ROOT_LOGGER_NAME)) {
            throw new IllegalArgumentException(ROOT + " has nothing above it to inherit from");
        }
        if (context().exists(name) == null && context().getLoggerList().size() >= MAX_LOGGERS) {
            throw new IllegalArgumentException("there are " + MAX_LOGGERS + " loggers, and none of this name");
        }
        context().getLogger(name).setLevel(wanted);
    }

    private static String checked(String logger) {
        if (logger.equalsIgnoreCase(ROOT)) {
            return Logger.ROOT_LOGGER_NAME;
        }
        if (logger.length() > MAX_NAME || !NAME.matcher(logger).matches()) {
            throw new IllegalArgumentException(
                    "no name of a logger: " + shown(logger) + "; it is a package or a class, or " + ROOT);
        }
        return logger;
    }

    /** A line stays a line. */
    private static String shown(String text) {
        String start = text.length() > 40 ? text.substring(0, 40) + "..." : text;
        return start.isEmpty() ? "nothing" : start.replaceAll("[^ -~]", "?");
    }

    private static String nameOf(Logger logger) {
        return logger.getName().equals(Logger.ROOT_LOGGER_NAME) ? ROOT : logger.getName();
    }

    private static String word(Level level) {
        return level.toString().toLowerCase(Locale.ROOT);
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }
}
