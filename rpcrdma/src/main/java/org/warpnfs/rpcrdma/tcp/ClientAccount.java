package org.warpnfs.rpcrdma.tcp;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.limits.ClientAddress;

/**
 * What all connections of one client have in flight: calls, and replies that it has not taken.
 *
 * <p>A connection that may not start a call waits in line, and is told when there is room. Safe for any thread.
 */
final class ClientAccount {
    private final ClientAddress address;
    private final TcpOptions options;
    private final RecordMemory.Share memory = new RecordMemory.Share();
    private final AtomicInteger callsInFlight = new AtomicInteger();
    private final ReplyMemory replies;
    private final ReplyMemory.Share untaken = new ReplyMemory.Share();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

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

    /** Where its replies are counted. */
    ReplyMemory replies() {
        return replies;
    }

    /** Its share of them. */
    ReplyMemory.Share untaken() {
        return untaken;
    }

    /**
     * Counts a call as in flight, if there is room for one.
     *
     * @param alone whether it is the only one of its connection: then it does not matter what others have not taken
     */
    boolean tryStart(boolean alone) {
        if (!alone && untaken.untakenBytes() >= options.maxUnsentBytesPerClient()) {
            return false;
        }
        while (true) {
            int now = callsInFlight.get();
            if (now >= options.maxCallsPerClient()) {
                return false;
            }
            if (callsInFlight.compareAndSet(now, now + 1)) {
                return true;
            }
        }
    }

    /** Calls of all its connections, and of those that have ended before their calls. */
    int callsInFlight() {
        return callsInFlight.get();
    }

    /** A call has ended: its reply was taken, or there is none. */
    void ended() {
        callsInFlight.decrementAndGet();
        wakeIfRoom();
    }

    /** Notes what is there of a message to the client: see {@link ReplyMemory#change}. */
    void changed(ReplyMemory.Size before, ReplyMemory.Size now, boolean givesBack) {
        replies.change(untaken, before, now, givesBack);
        if (now.bytes() < before.bytes()) {
            wakeIfRoom();
        }
    }

    /** Runs {@code task} once when there is room. Registering and trying once more closes the gap between. */
    void awaitRoom(Runnable task) {
        waiting.add(task);
    }

    /** Takes a connection that has ended out of the line. If it has been told already, it tells the next. */
    void leave(Runnable task) {
        waiting.remove(task);
    }

    /** Connections that wait for room. */
    int waiting() {
        return waiting.size();
    }

    /** Tells the next in line. Whoever is told and does not need the room calls this again. */
    void wakeIfRoom() {
        if (callsInFlight.get() < options.maxCallsPerClient()
                && untaken.untakenBytes() < options.maxUnsentBytesPerClient()) {
            Runnable next = waiting.poll();
            if (next != null) {
                next.run();
            }
        }
    }
}
