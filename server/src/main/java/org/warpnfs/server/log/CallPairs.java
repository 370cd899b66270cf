package org.warpnfs.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;
import org.warpnfs.lanes.CallOnThread;

/**
 * Whose call a line of the log is about: pairs {@code xid}, {@code peer}, {@code transport} and {@code procedure}. A
 * line has them from whoever wrote it, or, if it was written by a thread that runs a call, from that call. So it is no
 * matter where in the server trouble is met. Nothing is looked up for what is not logged.
 */
final class CallPairs {
    static final String XID = "xid";

    private CallPairs() {}

    /**
     * What the line does not say of the call that its thread runs; to be asked on that thread. Nothing of a line that
     * has an XID and is about another one.
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

    /** What a line has said itself; null if nothing. */
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
