package org.warpnfs.rpcrdma.tcp;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The outstanding backward calls of one connection. A record that claims to be a reply is processed only if it answers
 * one of them.
 *
 * <p>Stores a bounded number of calls; a new one replaces the oldest. For the event loop only.
 */
final class BackwardReplies {
    private final int maxOutstanding;
    private final int maxUnexpected;
    private final Set<Integer> outstanding = new LinkedHashSet<>();
    private int unexpected;

    BackwardReplies(int maxOutstanding, int maxUnexpected) {
        this.maxOutstanding = maxOutstanding;
        this.maxUnexpected = maxUnexpected;
    }

    /** A call has been sent. */
    void called(int xid) {
        if (!outstanding.contains(xid) && outstanding.size() == maxOutstanding) {
            Iterator<Integer> oldest = outstanding.iterator();
            oldest.next();
            oldest.remove();
        }
        outstanding.add(xid);
    }

    /** True if a reply with this XID answers a call. The call is removed, so a second reply does not. */
    boolean take(int xid) {
        return outstanding.remove(xid);
    }

    /** Counts a reply without a call. True if there have been too many. */
    boolean tooManyUnexpected() {
        return ++unexpected > maxUnexpected;
    }
}
