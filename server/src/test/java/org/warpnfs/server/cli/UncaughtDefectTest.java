package org.warpnfs.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Exceptions that nothing catches. */
class UncaughtDefectTest {
    @Test
    void defect_thatNothingCatches_isLoggedWithItsThread() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(ServeCommand.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            Thread thread = new Thread(
                    () -> {
                        throw new IllegalStateException("for a test");
                    },
                    "broken");
            thread.setUncaughtExceptionHandler(ServeCommand::logDefect);
            thread.start();
            thread.join();
        } finally {
            logger.detachAppender(log);
        }

        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getFormattedMessage()).startsWith("broken: ");
            assertThat(event.getThrowableProxy().getMessage()).isEqualTo("for a test");
        });
    }
}
