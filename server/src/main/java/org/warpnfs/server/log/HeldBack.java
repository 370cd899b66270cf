package org.warpnfs.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.OptionalLong;
import org.slf4j.event.KeyValuePair;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;

/**
 * Keeps calls from filling the log with lines that nobody limits where they are written, as those about defects: a call
 * that meets one can be sent again and again.
 *
 * <p>A line that was written for a call, or that tells of something thrown, is written once a minute for each place in
 * the code and each client, and says how many like it were held back meanwhile. Lines with a {@code cause} are limited
 * already; what somebody asked for by the level DEBUG is written as it comes. Safe for any thread.
 */
public final class HeldBack extends Filter<ILoggingEvent> {
    /** The pair that says how many there were. */
    static final String MORE = "moreLikeIt";

    private final LogLimiter lines;

    /** As logback.xml makes it. */
    public HeldBack() {
        this(new LogLimiter());
    }

    HeldBack(LogLimiter lines) {
        this.lines = lines;
    }

    @Override
    public FilterReply decide(ILoggingEvent line) {
        CallOnThread.Described call = CallOnThread.current();
        if ((call == null && line.getThrowableProxy() == null)
                || !line.getLevel().isGreaterOrEqual(Level.INFO)
                || CallPairs.value(line, "cause") != null) {
            return FilterReply.NEUTRAL;
        }
        OptionalLong more = lines.admit(place(line), call == null ? ClientAddress.NONE : call.client());
        if (more.isEmpty()) {
            return FilterReply.DENY;
        }
        if (more.getAsLong() > 0 && line instanceof LoggingEvent event) {
            event.addKeyValuePair(new KeyValuePair(MORE, more.getAsLong()));
        }
        return FilterReply.NEUTRAL;
    }

    /**
     * Where in the code, never what a peer has sent: the message before anything is filled in, and the place that
     * threw.
     */
    private static String place(ILoggingEvent line) {
        StringBuilder place =
                new StringBuilder(line.getLoggerName()).append('\n').append(line.getMessage());
        IThrowableProxy thrown = line.getThrowableProxy();
        if (thrown != null) {
            place.append('\n').append(thrown.getClassName());
            StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
            if (frames != null && frames.length > 0) {
                place.append('\n').append(frames[0].getStackTraceElement());
            }
        }
        return place.toString();
    }
}
