package org.warpnfs.server.log;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Formats {@code %said} of logback.xml: the message, the call as {@code [XID 1a2b, nfs 3 READ of 192.0.2.1:700]}, the
 * number of suppressed lines, and the exception on indented lines. Text from a peer cannot break the line.
 */
public final class TextLine extends ThrowableHandlingConverter {
    /** The stack frames that are shown, enough to find the place; JSON has all. */
    private static final int MOST_FRAMES = 3;

    private static final int MOST_CAUSES = 4;

    @Override
    public String convert(ILoggingEvent line) {
        StringBuilder text = new StringBuilder(Printable.of(line.getFormattedMessage()));
        List<KeyValuePair> missing = CallPairs.missing(line);
        Object xid = CallPairs.value(line, CallPairs.XID);
        if (xid != null || !missing.isEmpty()) {
            text.append(" [XID ")
                    .append(Printable.of(String.valueOf(xid == null ? value(missing, CallPairs.XID) : xid)));
            Object procedure = value(missing, "procedure");
            text.append(procedure == null ? "" : ", " + procedure);
            Object peer = value(missing, "peer");
            text.append(peer == null ? "" : " of " + peer).append(']');
        }
        Object more = CallPairs.value(line, HeldBack.MORE);
        if (more != null) {
            text.append(" (").append(more).append(" more like it)");
        }
        text.append(System.lineSeparator());
        IThrowableProxy thrown = line.getThrowableProxy();
        for (int i = 0; thrown != null && i < MOST_CAUSES; i++, thrown = thrown.getCause()) {
            addThrown(text, thrown, i == 0 ? "\t" : "\tcaused by ");
        }
        return text.toString();
    }

    private static void addThrown(StringBuilder text, IThrowableProxy thrown, String before) {
        text.append(before).append(thrown.getClassName());
        if (thrown.getMessage() != null) {
            text.append(": ").append(Printable.of(thrown.getMessage()));
        }
        text.append(System.lineSeparator());
        StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
        for (int i = 0; frames != null && i < Math.min(frames.length, MOST_FRAMES); i++) {
            text.append("\t\t").append(frames[i].getSTEAsString()).append(System.lineSeparator());
        }
    }

    private static @Nullable Object value(List<KeyValuePair> pairs, String key) {
        return pairs.stream()
                .filter(pair -> pair.key.equals(key))
                .map(pair -> pair.value)
                .findFirst()
                .orElse(null);
    }
}
