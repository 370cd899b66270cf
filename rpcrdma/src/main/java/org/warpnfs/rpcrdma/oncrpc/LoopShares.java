package org.warpnfs.rpcrdma.oncrpc;

import java.util.HashMap;
import java.util.Map;
import org.warpnfs.limits.ClientAddress;

/**
 * The time of one event loop that clients use for calls that run there.
 *
 * <h2>Operation</h2>
 *
 * Time is cut into windows of {@value #WINDOW_NANOS} ns. As long as the calls of a window have taken less than half of
 * it, every call may run on the loop. Then only calls of clients that have used less than their share may: the window,
 * divided by the clients that have sent calls in this window or the one before. A client alone may use the whole loop.
 * The other calls run in their lanes, where clients take turns. So a client with many connections and calls leaves half
 * of the loop to others whose calls have been seen. The first call of one that has sent none before waits until the
 * loop comes to its connection, as it would without calls on the loop.
 *
 * <h2>Errors</h2>
 *
 * None. Time is an argument. Each event loop has its own instance, which only its thread uses.
 */
final class LoopShares {
    static final long WINDOW_NANOS = 4_000_000;

    private static final ThreadLocal<LoopShares> OF_THREAD = ThreadLocal.withInitial(LoopShares::new);

    private static final class Used {
        long nanos;
    }

    private final Map<ClientAddress, Used> clients = new HashMap<>();
    private int clientsBefore;
    private long sinceNanos;
    private long usedNanos;

    /** Of the event loop whose thread this is. */
    static LoopShares ofThisThread() {
        return OF_THREAD.get();
    }

    /**
     * Notes that a call has arrived.
     *
     * @return whether it may run on the event loop
     */
    boolean arrived(ClientAddress client, long nowNanos) {
        if (clients.isEmpty() || nowNanos - sinceNanos >= WINDOW_NANOS) {
            clientsBefore = nowNanos - sinceNanos >= 2 * WINDOW_NANOS ? 0 : clients.size();
            clients.clear();
            usedNanos = 0;
            sinceNanos = nowNanos;
        }
        Used mine = clients.computeIfAbsent(client, _ -> new Used());
        int sharers = Math.max(clientsBefore, clients.size());
        return sharers == 1 || usedNanos < WINDOW_NANOS / 2 || mine.nanos < WINDOW_NANOS / sharers;
    }

    /** Notes how long a call has run here. It arrived in this window. */
    void ran(ClientAddress client, long nanos) {
        usedNanos += nanos;
        Used mine = clients.get(client);
        if (mine != null) {
            mine.nanos += nanos;
        }
    }
}
