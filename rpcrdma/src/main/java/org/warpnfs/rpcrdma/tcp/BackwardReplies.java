package org.warpnfs.rpcrdma.tcp;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which calls of ours are outstanding on one connection: a record that claims to be a reply is looked at only if it
 * answers one.
 *
 * <p>Remembers a bounded number; the oldest is forgotten for a new one. Event loop only.
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

    /** A call has left. */
    void called(int xid) {
        if (!outstanding.contains(xid) && outstanding.size() == maxOutstanding) {
            Iterator<Integer> oldest = outstanding.iterator();
            oldest.next();
            oldest.remove();
        }
        outstanding.add(xid);
    }

    /** True if a reply with this XID answers a call; the next one does not. */
    boolean take(int xid) {
        return outstanding.remove(xid);
    }

    /** Counts a reply to nothing; true if that is one too many. */
    boolean tooManyUnexpected() {
        return ++unexpected > maxUnexpected;
    }
}
