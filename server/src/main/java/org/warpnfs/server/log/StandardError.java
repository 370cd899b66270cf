package org.warpnfs.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes log lines to standard error, without making the thread that logs wait ({@link LogQueue}). A line is filtered
 * and formatted by the thread that logs it, since these ask which call the thread runs. Safe for any thread.
 */
public final class StandardError extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private volatile @Nullable Encoder<ILoggingEvent> encoder;
    private volatile @Nullable LogQueue queue;

    /** Called by Joran for logback.xml, and to change the format. */
    public void setEncoder(Encoder<ILoggingEvent> encoder) {
        this.encoder = encoder;
    }

    Encoder<ILoggingEvent> encoder() {
        return Objects.requireNonNull(encoder);
    }

    @Override
    public void start() {
        if (encoder == null) {
            addError("there is no encoder");
            return;
        }
        // Its stream, not System.err: that may later be one that ends in this queue.
        queue = new LogQueue(System.err, this::notice);
        super.start();
    }

    @Override
    protected void append(ILoggingEvent line) {
        queue().add(encoder().encode(line), line.getLevel());
    }

    private LogQueue queue() {
        return Objects.requireNonNull(queue);
    }

    private byte[] notice(long dropped) {
        LoggerContext context = (LoggerContext) getContext();
        LoggingEvent line = new LoggingEvent(
                StandardError.class.getName(),
                context.getLogger(StandardError.class),
                Level.WARN,
                "{} log line(s) were dropped, because the log was not read, or not written, fast enough",
                null,
                new Object[] {dropped});
        return encoder().encode(line);
    }

    long dropped() {
        return queue().dropped();
    }

    /** Waits until all lines are written, or the time is up. */
    void awaitWritten(Duration limit) throws InterruptedException {
        boolean _ = queue().awaitWritten(limit);
    }

    /** Returns a stream whose bytes go the way of log lines: whoever prints does not wait either. */
    PrintStream stream() {
        OutputStream toQueue = new OutputStream() {
            @Override
            public void write(int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                queue().add(Arrays.copyOfRange(bytes, offset, offset + length), Level.WARN);
            }
        };
        return new PrintStream(toQueue, true, StandardCharsets.UTF_8);
    }
}
