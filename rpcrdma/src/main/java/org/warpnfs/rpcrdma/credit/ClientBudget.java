package org.warpnfs.rpcrdma.credit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
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
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private long left;

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
     * Gives back an amount, and notifies those who wait.
     *
     * @throws IllegalStateException if the client does not hold that much, which is a bug
     */
    public void give(ClientAddress client, long amount) {
        List<Runnable> told;
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
            told = new ArrayList<>(waiting);
            waiting.clear();
        }
        told.forEach(Runnable::run);
    }

    /**
     * Runs {@code task} once, when something has been given back, on the thread that gives it. If the task then finds
     * nothing available, it must ask again.
     */
    public synchronized void onGive(Runnable task) {
        waiting.add(task);
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
