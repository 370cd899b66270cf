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
 * How lines of the log look: as {@link TextLine} has it, or {@link JsonLine}. Where a peer is at fault, JSON has who
 * and why as pairs of their own: {@code fault}, {@code peer}, {@code cause}; and of whatever is about one call its
 * {@code xid} ({@link CallPairs}).
 */
public final class LogLines {
    private LogLines() {}

    /** Lines look so from now on. To be called before the first one: lines of before look as they did. */
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

    /**
     * Between stop and start nothing is written, and nothing is lost that another thread does not log in that moment.
     */
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
