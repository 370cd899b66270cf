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
 * Reads and changes log levels while the server runs. A change lasts until the server ends.
 *
 * <p>A logger is a package or a class by its full name, such as {@code org.warpnfs.nfs}, or {@value #ROOT} for all
 * loggers without a level of their own. Safe for any thread.
 */
public final class Levels {
    /** The root logger. */
    public static final String ROOT = "root";

    /** Used instead of a level: the level of the parent package applies. */
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
     * The longest name. Naming a logger creates it for ever, so the length of names and the number of unknown loggers
     * are limited.
     */
    private static final int MAX_NAME = 200;

    private static final int MAX_LOGGERS = 4096;

    private Levels() {}

    /** Returns all loggers with a level of their own, and their levels. */
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
     * Returns the effective level of a logger: its own, or that of the parent package.
     *
     * @throws IllegalArgumentException if this is not the name of a logger; one line of text
     */
    public static String get(String logger) {
        String name = checked(logger);
        // Looks for the logger without creating it.
        for (String above = name; !above.isEmpty(); above = above.substring(0, Math.max(0, above.lastIndexOf('.')))) {
            Logger known = context().exists(above);
            if (known != null) {
                return word(known.getEffectiveLevel());
            }
        }
        return word(context().getLogger(Logger.ROOT_LOGGER_NAME).getEffectiveLevel());
    }

    /**
     * Sets the level of a logger, which also applies to all loggers below it without a level of their own.
     *
     * @param level {@code off}, {@code error}, {@code warn}, {@code info}, {@code debug}, {@code trace}, or
     *     {@value #INHERITED}; upper or lower case
     * @throws IllegalArgumentException if one of the two is wrong; one line of text, and nothing has changed
     */
    public static void set(String logger, String level) {
        String name = checked(logger);
        String word = level.toLowerCase(Locale.ROOT);
        boolean inherited = word.equals(INHERITED);
        Level wanted = WORDS.get(word);
        if (wanted == null && !inherited) {
            throw new IllegalArgumentException("no such level: " + shown(level)
                    + "; the levels are off, error, warn, info, debug, trace and " + INHERITED);
        }
        if (inherited && name.equals(Logger.ROOT_LOGGER_NAME)) {
            throw new IllegalArgumentException(ROOT + " has no parent to inherit from");
        }
        if (context().exists(name) == null && context().getLoggerList().size() >= MAX_LOGGERS) {
            throw new IllegalArgumentException(
                    "there are " + MAX_LOGGERS + " loggers, which is the limit, and " + "none has this name");
        }
        context().getLogger(name).setLevel(wanted);
    }

    private static String checked(String logger) {
        if (logger.equalsIgnoreCase(ROOT)) {
            return Logger.ROOT_LOGGER_NAME;
        }
        if (logger.length() > MAX_NAME || !NAME.matcher(logger).matches()) {
            throw new IllegalArgumentException(
                    "not the name of a logger: " + shown(logger) + "; use a package, a class or " + ROOT);
        }
        return logger;
    }

    /** Returns the text without characters that would break the line. */
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
