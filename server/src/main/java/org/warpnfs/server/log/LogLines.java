package org.warpnfs.server.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import java.util.Iterator;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.LogFormat;

/**
 * Chooses the format of log lines: {@link TextLine} or {@link JsonLine}. For faults of a peer JSON has the pairs
 * {@code fault}, {@code peer} and {@code cause}, and for lines about a call its {@code xid} ({@link CallPairs}).
 */
public final class LogLines {
    private LogLines() {}

    /** Sets the format of all following lines. Call it before the first line; earlier lines keep their format. */
    public static void use(LogFormat format) {
        if (format == LogFormat.TEXT) {
            return;
        }
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        Iterator<Appender<ILoggingEvent>> appenders =
                context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        while (appenders.hasNext()) {
            if (appenders.next() instanceof ConsoleAppender<ILoggingEvent> console) {
                encode(console, context);
            }
        }
    }

    /** Replaces the encoder. Between stop and start only lines that another thread logs at that moment are lost. */
    private static void encode(OutputStreamAppender<ILoggingEvent> appender, LoggerContext context) {
        appender.stop();
        appender.setEncoder(json(context));
        appender.start();
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
