package org.warpnfs.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Log lines as text, in the configuration that the server is delivered with. */
class LogTextTest {
    @Test
    void line_ofWhatAClientNamed_isOneLineAndMovesNoCursor() throws Exception {
        LoggerContext context = new LoggerContext();
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(LogTextTest.class.getResource("/logback.xml"));
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        StandardError appender = (StandardError) root.getAppender("STDERR");
        LoggingEvent event = new LoggingEvent("fqcn", root, Level.WARN, "of {}", null, new Object[] {
            "/a\u001b[2Jb\n2026 ERROR forged\r\u009b1m\u202e\ttab ü"
        });
        String line = new String(appender.encoder().encode(event), StandardCharsets.UTF_8);
        assertThat(line).endsWith(" of /a?[2Jb?2026 ERROR forged??1m?\ttab ü\n").hasLineCount(1);
        context.stop();
    }
}
