package org.warpnfs.server.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What one logger logs from now until it is closed. */
final class Logged implements AutoCloseable {
    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private final ByteArrayOutputStream json = new ByteArrayOutputStream();
    private final OutputStreamAppender<ILoggingEvent> encoded = new OutputStreamAppender<>();
    private final Logger logger;

    Logged(Class<?> of) {
        logger = context.getLogger(of);
        events.start();
        logger.addAppender(events);
        encoded.setContext(context);
        encoded.setOutputStream(json);
        LogLines.encode(encoded, context);
        logger.addAppender(encoded);
    }

    List<String> messages() {
        return events.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    String json() {
        return json.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        logger.detachAppender(events);
        logger.detachAppender(encoded);
    }
}
