package org.warpnfs.rpcrdma.tcp;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.limits.ClientAddress;

/**
 * Counts what all connections of one client have in flight: calls, and replies that the client has not taken.
 *
 * <p>A connection that may not start a call waits in a queue and is woken when there is room. Safe for any thread.
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

    /** Calls of all its connections, including connections that ended before their calls. */
    int callsInFlight() {
        return callsInFlight.get();
    }

    /** A call has ended: its reply was taken, or there is none. */
    void ended() {
        callsInFlight.decrementAndGet();
        wakeIfRoom();
    }

    /** Records the current size of a reply to the client: see {@link ReplyMemory#change}. */
    void changed(ReplyMemory.Size before, ReplyMemory.Size now, boolean givesBack) {
        replies.change(untaken, before, now, givesBack);
        if (now.bytes() < before.bytes()) {
            wakeIfRoom();
        }
    }

    /**
     * Runs {@code task} once when there is room. The caller must try again after this call, because room may have been
     * made before it.
     */
    void awaitRoom(Runnable task) {
        waiting.add(task);
    }

    /** Removes a connection that has ended from the queue. If it has been woken already, it wakes the next one. */
    void leave(Runnable task) {
        waiting.remove(task);
    }

    /** The number of connections that wait for room. */
    int waiting() {
        return waiting.size();
    }

    /**
     * Wakes the next connection in the queue if there is room. A connection that is woken and does not need the room
     * calls this again.
     */
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
