package org.warpnfs.tools.iwarp;

import java.util.Locale;
import org.warpnfs.iwarp.verbs.DisconnectReason;

/** Describes the ends of connections. */
final class ConnectionEnds {
    private ConnectionEnds() {}

    /** @param when empty, or a blank and the rest of a sentence */
    static TestFailure asFailure(DisconnectReason reason, String when) {
        return new TestFailure(describe(reason) + when);
    }

    static String describe(DisconnectReason reason) {
        return reason.cause().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + reason.detail();
    }
}
