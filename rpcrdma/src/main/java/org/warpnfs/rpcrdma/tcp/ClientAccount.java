package org.warpnfs.rpcrdma.tcp;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
    private final AtomicLong unsentBytes = new AtomicLong();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    ClientAccount(ClientAddress address, TcpOptions options) {
        this.address = address;
        this.options = options;
    }

    ClientAddress address() {
        return address;
    }

    RecordMemory.Share memory() {
        return memory;
    }

    /**
     * Counts a call as in flight, if there is room for one.
     *
     * @param alone whether it is the only one of its connection: then it does not matter what others have not taken
     */
    boolean tryStart(boolean alone) {
        if (!alone && unsentBytes.get() >= options.maxUnsentBytesPerClient()) {
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

    /** Counts bytes of replies that wait for the client, or takes them away. */
    void addUnsent(long bytes) {
        unsentBytes.addAndGet(bytes);
        if (bytes < 0) {
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
                && unsentBytes.get() < options.maxUnsentBytesPerClient()) {
            Runnable next = waiting.poll();
            if (next != null) {
                next.run();
            }
        }
    }
}
