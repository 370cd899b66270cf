package org.warpnfs.server.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Collects the lines of one logger, or of all loggers, until it is closed. The lines are collected as logback.xml
 * formats them and as JSON, after the filter that logback.xml uses.
 */
public final class Written implements AutoCloseable {
    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Logger logger;
    private final Encoder<ILoggingEvent> text;
    private final JsonEncoder json = LogLines.json(context);
    private final List<ILoggingEvent> events = new ArrayList<>();
    private final StringBuilder texts = new StringBuilder();
    private final StringBuilder jsons = new StringBuilder();

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            events.add(line);
            texts.append(new String(text.encode(line), StandardCharsets.UTF_8));
            jsons.append(new String(json.encode(line), StandardCharsets.UTF_8));
        }
    };

    /** Collects the lines of all loggers. */
    public Written() {
        this(Logger.ROOT_LOGGER_NAME, new HeldBack());
    }

    Written(Class<?> of) {
        this(of.getName(), new HeldBack());
    }

    Written(String name, HeldBack filter) {
        text = ((StandardError) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("STDERR")).encoder();
        appender.setContext(context);
        appender.addFilter(filter);
        appender.start();
        logger = context.getLogger(name);
        logger.addAppender(appender);
    }

    /** Returns the messages, without the details of the call that a line adds. */
    public List<String> messages() {
        synchronized (appender) {
            return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    /** Returns the kinds of lines: logger, message template and cause. */
    public List<String> kinds() {
        synchronized (appender) {
            return events.stream()
                    .map(line ->
                            line.getLoggerName() + ": " + line.getMessage() + ", " + CallPairs.value(line, "cause"))
                    .toList();
        }
    }

    public String text() {
        synchronized (appender) {
            return texts.toString();
        }
    }

    public String json() {
        synchronized (appender) {
            return jsons.toString();
        }
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
