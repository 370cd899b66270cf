package org.warpnfs.rpcrdma.request;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection: those that wait and those that are outstanding.
 *
 * <pre>
 * state         event                  state after
 * waiting       next(), room           outstanding
 * waiting       overdue                gone
 * outstanding   reply                  gone
 * outstanding   overdue                abandoned: keeps its place, since the responder still works on it
 * abandoned     reply                  gone; the reply is dropped
 * any           close()                gone
 * </pre>
 *
 * <p>Memory is bounded by the room for outstanding calls, which includes abandoned ones, and by a limit on waiting
 * calls. Time is an argument. For the owner thread only.
 *
 * @param <C> the transport's data of a call
 */
public final class CallWindow<C> {
    /** A call in the window. An abandoned one has a null C. */
    private static final class Entry<C> {
        private final long xid;
        private final long deadlineNanos;
        private @Nullable C call;
        private long repliesBefore;

        Entry(long xid, long deadlineNanos, C call) {
            this.xid = xid;
            this.deadlineNanos = deadlineNanos;
            this.call = call;
        }

        boolean overdue(long nowNanos) {
            return deadlineNanos != Requester.NO_DEADLINE && nowNanos - deadlineNanos > 0;
        }
    }

    /**
     * The result of {@link #takeOverdue}.
     *
     * @param calls the calls whose deadline has passed
     * @param responderSilent whether one of them was sent and no reply to any call has come since
     */
    public record Overdue<C>(List<C> calls, boolean responderSilent) {}

    private final int maxWaiting;
    private final Map<Long, Entry<C>> outstanding = new HashMap<>();
    private final Queue<Entry<C>> waiting = new ArrayDeque<>();
    private int room;
    private long replies;

    /**
     * @param room the most calls that may be outstanding
     * @param maxWaiting the most calls that may wait
     */
    public CallWindow(int room, int maxWaiting) {
        this.room = room;
        this.maxWaiting = maxWaiting;
    }

    /** Sets how many calls may be outstanding. Calls that are outstanding already stay so. */
    public void setRoom(int calls) {
        room = calls;
    }

    /** Queues a call. Returns false if too many calls wait. */
    public boolean add(long xid, long deadlineNanos, C call) {
        if (waiting.size() >= maxWaiting) {
            return false;
        }
        waiting.add(new Entry<>(xid, deadlineNanos, call));
        return true;
    }

    /**
     * Takes the next call that may be sent. It is outstanding from now on.
     *
     * @param refused is called with each call whose XID is outstanding already, because its reply could not be told
     *     from the other's
     */
    public @Nullable C next(Consumer<C> refused) {
        while (outstanding.size() < room) {
            Entry<C> entry = waiting.poll();
            if (entry == null || entry.call == null) {
                return null;
            }
            if (outstanding.putIfAbsent(entry.xid, entry) == null) {
                entry.repliesBefore = replies;
                return entry.call;
            }
            refused.accept(entry.call);
        }
        return null;
    }

    /** True if a reply with this XID would answer an outstanding call. */
    public boolean expects(long xid) {
        return outstanding.containsKey(xid);
    }

    /** Takes the call that a reply belongs to; null if the call is unknown or abandoned. */
    public @Nullable C replied(long xid) {
        Entry<C> entry = outstanding.remove(xid);
        if (entry == null) {
            return null;
        }
        replies++;
        return entry.call;
    }

    /** Takes the calls whose deadline has passed. */
    public Overdue<C> takeOverdue(long nowNanos) {
        List<C> calls = new ArrayList<>();
        boolean silent = false;
        for (Entry<C> entry : outstanding.values()) {
            if (entry.call != null && entry.overdue(nowNanos)) {
                calls.add(entry.call);
                entry.call = null;
                silent |= entry.repliesBefore == replies;
            }
        }
        for (Iterator<Entry<C>> entries = waiting.iterator(); entries.hasNext(); ) {
            Entry<C> entry = entries.next();
            if (entry.call != null && entry.overdue(nowNanos)) {
                calls.add(entry.call);
                entries.remove();
            }
        }
        return new Overdue<>(calls, silent);
    }

    /** Takes every call, because the connection has ended. */
    public List<C> close() {
        List<C> calls = new ArrayList<>();
        for (Entry<C> entry : outstanding.values()) {
            addIfThere(calls, entry.call);
        }
        for (Entry<C> entry : waiting) {
            addIfThere(calls, entry.call);
        }
        outstanding.clear();
        waiting.clear();
        return calls;
    }

    private static <C> void addIfThere(List<C> calls, @Nullable C call) {
        if (call != null) {
            calls.add(call);
        }
    }
}
