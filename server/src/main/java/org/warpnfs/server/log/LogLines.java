package org.warpnfs.server.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.LogFormat;

/**
 * The log of the process as a whole.
 *
 * <p>Lines have a format: {@link TextLine} or {@link JsonLine}. For faults of a peer JSON has the pairs {@code fault},
 * {@code peer} and {@code cause}, and for lines about a call its {@code xid} ({@link CallPairs}).
 */
public final class LogLines {
    /** The last lines before the process ends are written within this time, or not at all. */
    private static final Duration LAST_LINES = Duration.ofSeconds(2);

    private LogLines() {}

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    /** Empty if the configuration of logback is not the server's own. */
    private static Optional<StandardError> standardError() {
        Iterator<Appender<ILoggingEvent>> appenders =
                context().getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        while (appenders.hasNext()) {
            if (appenders.next() instanceof StandardError found) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    /** Sets the format of all following lines. Call it before the first line; earlier lines keep their format. */
    public static void use(LogFormat format) {
        if (format == LogFormat.JSON) {
            standardError().ifPresent(log -> log.setEncoder(json(context())));
        }
    }

    /** From now on what libraries and the JDK print on standard error goes the way of log lines. */
    public static void takeStandardError() {
        standardError().ifPresent(log -> System.setErr(log.stream()));
    }

    /** Returns how many lines were dropped since the start, because the log was not read. */
    public static long dropped() {
        return standardError().map(StandardError::dropped).orElse(0L);
    }

    /** Waits for the last lines before the process ends, but not for long. */
    public static void finish() {
        standardError().ifPresent(log -> {
            try {
                log.awaitWritten(LAST_LINES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    static JsonEncoder json(LoggerContext context) {
        JsonEncoder encoder = new JsonLine();
        encoder.setContext(context);
        encoder.setWithContext(false);
        encoder.setWithMDC(false);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        return encoder;
    }
}
