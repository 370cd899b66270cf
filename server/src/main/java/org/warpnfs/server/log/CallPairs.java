package org.warpnfs.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;
import org.warpnfs.lanes.CallOnThread;

/**
 * Identifies the call of a log line by the pairs {@code xid}, {@code peer}, {@code transport} and {@code procedure}.
 * The code that logs the line sets them; otherwise they are those of the call that the logging thread runs. So any code
 * in the server can log without knowing the call. Lines that are not logged cost no lookup.
 */
final class CallPairs {
    static final String XID = "xid";

    private CallPairs() {}

    /**
     * Returns the pairs that the line lacks, from the call that the current thread runs. Returns none if the line has
     * another call's XID. Call it on the logging thread.
     */
    static List<KeyValuePair> missing(ILoggingEvent line) {
        CallOnThread.Described call = CallOnThread.current();
        if (call == null) {
            return List.of();
        }
        String xid = Integer.toHexString(call.xid());
        Object said = value(line, XID);
        if (said != null && !said.equals(xid)) {
            return List.of();
        }
        List<KeyValuePair> pairs = new ArrayList<>();
        add(pairs, line, XID, xid);
        add(pairs, line, "peer", call.peer());
        add(pairs, line, "transport", call.transportName());
        CallOnThread.Procedure procedure = call.procedure();
        if (procedure != null) {
            add(pairs, line, "procedure", ProcedureNames.of(procedure));
        }
        return pairs;
    }

    private static void add(List<KeyValuePair> pairs, ILoggingEvent line, String key, String value) {
        if (value(line, key) == null) {
            pairs.add(new KeyValuePair(key, value));
        }
    }

    /** Returns the value that the line itself has for {@code key}; null if it has none. */
    static @Nullable Object value(ILoggingEvent line, String key) {
        List<KeyValuePair> pairs = line.getKeyValuePairs();
        if (pairs == null) {
            return null;
        }
        for (KeyValuePair pair : pairs) {
            if (pair.key.equals(key)) {
                return pair.value;
            }
        }
        return null;
    }
}
