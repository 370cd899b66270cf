package org.warpnfs.rpcrdma.credit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;

/**
 * Limits the amount of a resource that all connections together may hold, and the amount that those of one client may
 * hold. Stores only clients that hold something. Safe for any thread.
 */
public final class ClientBudget {
    private final long most;
    private final long mostOfOneClient;
    private final boolean leavesSome;
    private final Map<ClientAddress, Long> held = new HashMap<>();

    /** Requests that wait, the oldest first. */
    private final Set<Request> waiting = new LinkedHashSet<>();

    private long left;

    /** A request that waits for its turn. */
    public static final class Request {
        private final ClientAddress client;
        private final long amount;
        private final Runnable granted;

        private Request(ClientAddress client, long amount, Runnable granted) {
            this.client = client;
            this.amount = amount;
            this.granted = granted;
        }
    }

    /**
     * @param most the limit of all clients together, at least 1
     * @param mostOfOneClient the limit of one client, at least 1; has no effect if it exceeds {@code most}
     */
    public ClientBudget(long most, long mostOfOneClient) {
        this(most, mostOfOneClient, false);
    }

    private ClientBudget(long most, long mostOfOneClient, boolean leavesSome) {
        if (most < 1 || mostOfOneClient < 1) {
            throw new IllegalArgumentException(
                    "budget of " + most + ", " + mostOfOneClient + " for each client: both are at least 1");
        }
        this.most = most;
        this.mostOfOneClient = mostOfOneClient;
        this.leavesSome = leavesSome;
        this.left = most;
    }

    /**
     * A budget that clients share by {@link FairShare}. However many clients take all they can get, the next one finds
     * something.
     *
     * @param most the limit of all clients together, at least 1
     * @param mostOfOneClient the limit of one client, at least 1
     */
    public static ClientBudget leavingSome(long most, long mostOfOneClient) {
        return new ClientBudget(most, mostOfOneClient, true);
    }

    /** The limit of all clients together. */
    public long most() {
        return most;
    }

    /** The limit of one client. */
    public long mostOfOneClient() {
        return mostOfOneClient;
    }

    /** Takes all of {@code amount} or nothing. */
    public synchronized boolean tryTake(ClientAddress client, long amount) {
        if (amount > room(client)) {
            return false;
        }
        taken(client, amount);
        return true;
    }

    /**
     * Takes all of {@code amount}, or waits until it has been taken. Requests of one client are met in the order in
     * which they came, so that one that is there whenever something is given back does not overtake those that wait.
     *
     * @param amount at most each of the limits
     * @param granted runs once when the amount has been taken after a wait, on the thread that gave something back
     * @return null if the amount was taken at once
     */
    public synchronized @Nullable Request takeOrWait(ClientAddress client, long amount, Runnable granted) {
        boolean isFirst = waiting.isEmpty() || waiting.stream().noneMatch(each -> each.client.equals(client));
        if (isFirst && tryTake(client, amount)) {
            return null;
        }
        Request request = new Request(client, amount, granted);
        waiting.add(request);
        return request;
    }

    /**
     * Withdraws a request.
     *
     * @return false if it has been granted meanwhile, or is being granted on another thread
     */
    public boolean cancel(Request request) {
        List<Request> met;
        synchronized (this) {
            if (!waiting.remove(request)) {
                return false;
            }
            // A later request of the same client may be smaller.
            met = grant();
        }
        tell(met);
        return true;
    }

    /**
     * Takes as much as is available, up to {@code wanted}.
     *
     * @return 0 to {@code wanted}; the caller gives back exactly that much
     */
    public synchronized int take(ClientAddress client, int wanted) {
        int taken = (int) Math.min(wanted, room(client));
        taken(client, taken);
        return taken;
    }

    /**
     * Gives back an amount, for those who wait.
     *
     * @throws IllegalStateException if the client does not hold that much, which is a bug
     */
    public void give(ClientAddress client, long amount) {
        List<Request> met;
        synchronized (this) {
            long before = held.getOrDefault(client, 0L);
            if (amount < 0 || amount > before) {
                throw new IllegalStateException(client + " gives back " + amount + " of " + before);
            }
            left += amount;
            if (amount == before) {
                held.remove(client);
            } else {
                held.put(client, before - amount);
            }
            if (waiting.isEmpty()) {
                return;
            }
            met = grant();
        }
        tell(met);
    }

    /** Takes for all waiting requests that can be met now. */
    private List<Request> grant() {
        List<Request> met = new ArrayList<>();
        Set<ClientAddress> stillWaiting = new HashSet<>();
        for (Iterator<Request> next = waiting.iterator(); next.hasNext(); ) {
            Request request = next.next();
            if (!stillWaiting.contains(request.client) && tryTake(request.client, request.amount)) {
                met.add(request);
                next.remove();
            } else {
                stillWaiting.add(request.client);
            }
        }
        return met;
    }

    private static void tell(List<Request> met) {
        met.forEach(request -> request.granted.run());
    }

    /** The amount that no client holds. */
    public synchronized long left() {
        return left;
    }

    /** The amount that one client holds. */
    public synchronized long heldBy(ClientAddress client) {
        return held.getOrDefault(client, 0L);
    }

    /** True if the client has reached its own limit, although more may be available to others. */
    public synchronized boolean exhausted(ClientAddress client) {
        return left > 0 ? room(client) <= 0 : held.getOrDefault(client, 0L) >= mostOfOneClient;
    }

    private long room(ClientAddress client) {
        long holds = held.getOrDefault(client, 0L);
        long share = leavesSome ? FairShare.room(holds, left) : left;
        return Math.max(0, Math.min(share, mostOfOneClient - holds));
    }

    private void taken(ClientAddress client, long amount) {
        if (amount > 0) {
            left -= amount;
            held.merge(client, amount, Long::sum);
        }
    }
}
