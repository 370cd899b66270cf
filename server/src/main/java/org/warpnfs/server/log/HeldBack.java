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
 * Limits log lines that calls can cause and that are not limited where they are logged, such as lines about defects: a
 * client can repeat a call that hits one.
 *
 * <p>A line that was logged for a call, or that has an exception, is written once a minute for each place in the code
 * and each client, and says how many like it were suppressed meanwhile. Lines with a {@code cause} are already limited.
 * Lines of level DEBUG are not limited. Safe for any thread.
 */
public final class HeldBack extends Filter<ILoggingEvent> {
    /** The key of the number of suppressed lines. */
    static final String MORE = "moreLikeIt";

    private final LogLimiter lines;

    /** Created by logback.xml. */
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
     * Returns the place in the code: the message template and the place that threw. It never contains text from a peer.
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
