package org.warpnfs.rpcrdma.tcp;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Each;

/**
 * Counts what all connections of one client have in flight: calls, and replies that the client has not taken.
 *
 * <p>A connection that may not start a call waits in a queue. When there is room, a call is counted for the first
 * connection that may start one. So a connection with many calls, which is there whenever one of them ends, does not
 * take the room before those that wait. Safe for any thread.
 */
final class ClientAccount {
    private final ClientAddress address;
    private final TcpOptions options;
    private final RecordMemory.Share memory = new RecordMemory.Share();
    private final ReplyMemory replies;
    private final ReplyMemory.Share untaken = new ReplyMemory.Share();

    /** What to run for each connection that waits, the first in turn first; and whether it has no call in flight. */
    private final Map<Runnable, Boolean> waiting = new LinkedHashMap<>();

    private int callsInFlight;

    ClientAccount(ClientAddress address, TcpOptions options, ReplyMemory replies) {
        this.address = address;
        this.options = options;
        this.replies = replies;
    }

    ClientAddress address() {
        return address;
    }

    RecordMemory.Share memory() {
        return memory;
    }

    /** The memory in which its replies are counted. */
    ReplyMemory replies() {
        return replies;
    }

    /** Its share of that memory. */
    ReplyMemory.Share untaken() {
        return untaken;
    }

    /**
     * Counts a call as in flight, if there is room for one.
     *
     * @param alone whether it is the only call of its connection; if so, replies that other connections have not taken
     *     do not matter
     */
    synchronized boolean tryStart(boolean alone) {
        if (callsInFlight >= options.maxCallsPerClient()
                || (!alone && untaken.untakenBytes() >= options.maxUnsentBytesPerClient())) {
            return false;
        }
        callsInFlight++;
        return true;
    }

    /**
     * Counts a call as in flight, or queues its connection if there is no room.
     *
     * @param alone as for {@link #tryStart}
     * @param granted the same object for all calls of a connection. Runs once for each wait, on the thread that made
     *     room, when a call has been counted; a connection that does not need it any more calls {@link #ended}
     * @return false if the connection waits now, or still
     */
    synchronized boolean startOrWait(boolean alone, Runnable granted) {
        if (tryStart(alone)) {
            waiting.remove(granted);
            return true;
        }
        waiting.put(granted, alone);
        return false;
    }

    /** Calls of all its connections, including connections that ended before their calls. */
    synchronized int callsInFlight() {
        return callsInFlight;
    }

    /** A call has ended: its reply was taken, or there is none. */
    void ended() {
        synchronized (this) {
            callsInFlight--;
        }
        grant();
    }

    /** Records the current size of a reply to the client: see {@link ReplyMemory#change}. */
    void changed(ReplyMemory.Size before, ReplyMemory.Size now, boolean givesBack) {
        replies.change(untaken, before, now, givesBack);
        if (now.bytes() < before.bytes()) {
            grant();
        }
    }

    /** Removes a connection that has ended from the queue. */
    synchronized void leave(Runnable granted) {
        waiting.remove(granted);
    }

    /** The number of connections that wait for room. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** Counts a call for each connection that may start one now, in the order of the queue. */
    private void grant() {
        List<Runnable> granted;
        synchronized (this) {
            if (waiting.isEmpty()) {
                return;
            }
            granted = new ArrayList<>();
            Iterator<Map.Entry<Runnable, Boolean>> queue = waiting.entrySet().iterator();
            while (queue.hasNext() && callsInFlight < options.maxCallsPerClient()) {
                Map.Entry<Runnable, Boolean> next = queue.next();
                if (tryStart(next.getValue())) {
                    granted.add(next.getKey());
                    queue.remove();
                }
            }
        }
        Each.of(granted, Runnable::run);
    }
}
