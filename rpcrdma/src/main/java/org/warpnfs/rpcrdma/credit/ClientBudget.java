package org.warpnfs.rpcrdma.credit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.FairShare;
import org.warpnfs.limits.MemoryTurns;

/**
 * Limits the amount of a resource that all connections together may hold, and the amount that those of one client may
 * hold. Requests that wait are met in turn, as {@link MemoryTurns} says. Stores only clients that hold something or
 * wait. Safe for any thread.
 */
public final class ClientBudget {
    private final long most;
    private final long mostOfOneClient;
    private final boolean leavesSome;
    private final Map<ClientAddress, Share> shares = new HashMap<>();
    private final MemoryTurns turns = new MemoryTurns();
    private long left;

    /** What a client holds, and its requests that wait. */
    private static final class Share extends MemoryTurns.Share {
        final ClientAddress client;
        long held;

        Share(ClientAddress client) {
            this.client = client;
        }
    }

    /** A request that waits for its turn. */
    public final class Request extends MemoryTurns.Request {
        private final Share share;
        private final long amount;

        private Request(Share share, long amount, Runnable granted) {
            super(share, granted);
            this.share = share;
            this.amount = amount;
        }

        /** A client that holds nothing has all that is left as its share, so that only the others can give room. */
        @Override
        protected boolean waitsForRoom() {
            return share.held == 0 && amount > left;
        }

        @Override
        protected boolean fits() {
            return amount <= room(share.held);
        }

        @Override
        protected void book() {
            ClientBudget.this.book(share, amount);
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

    /** Takes all of {@code amount} or nothing. Takes nothing while another client waits for what is left. */
    public synchronized boolean tryTake(ClientAddress client, long amount) {
        if (turns.headWaitsForRoom() || amount > room(heldBy(client))) {
            return false;
        }
        if (amount > 0) {
            book(share(client), amount);
        }
        return true;
    }

    /**
     * Takes all of {@code amount}, or waits until it has been taken. Clients that wait take turns, each with its oldest
     * request. One that is there whenever something is given back overtakes no other, and a large request is not put
     * off by small ones for ever.
     *
     * @param amount 1 to each of the limits
     * @param granted runs once when the amount has been taken after a wait, on the thread that gave something back
     * @return null if the amount was taken at once
     */
    public synchronized @Nullable Request takeOrWait(ClientAddress client, long amount, Runnable granted) {
        Share share = share(client);
        if (!share.hasWaiting() && tryTake(client, amount)) {
            return null;
        }
        Request request = new Request(share, amount, granted);
        turns.add(request);
        if (request.waitsForRoom()) {
            turns.waitForRoom();
        }
        return request;
    }

    /**
     * Withdraws a request.
     *
     * @return false if it has been granted meanwhile, or is being granted on another thread
     */
    public boolean cancel(Request request) {
        List<MemoryTurns.Request> met;
        synchronized (this) {
            if (!turns.remove(request)) {
                return false;
            }
            forgetIfIdle(request.share);
            // It may have held up others.
            met = turns.grant();
        }
        MemoryTurns.tell(met);
        return true;
    }

    /**
     * Takes as much as is available, up to {@code wanted}. Takes nothing while another client waits for what is left.
     *
     * @return 0 to {@code wanted}; the caller gives back exactly that much
     */
    public synchronized int take(ClientAddress client, int wanted) {
        int taken = (int) Math.min(wanted, turns.headWaitsForRoom() ? 0 : room(heldBy(client)));
        if (taken > 0) {
            book(share(client), taken);
        }
        return taken;
    }

    /**
     * Gives back an amount, for those who wait.
     *
     * @throws IllegalStateException if the client does not hold that much, which is a bug
     */
    public void give(ClientAddress client, long amount) {
        List<MemoryTurns.Request> met;
        synchronized (this) {
            long before = heldBy(client);
            if (amount < 0 || amount > before) {
                throw new IllegalStateException(client + " gives back " + amount + " of " + before);
            }
            if (amount > 0) {
                Share share = share(client);
                book(share, -amount);
                forgetIfIdle(share);
            }
            if (turns.isEmpty()) {
                return;
            }
            met = turns.grant();
        }
        MemoryTurns.tell(met);
    }

    /** The amount that no client holds. */
    public synchronized long left() {
        return left;
    }

    /** The amount that one client holds. */
    public synchronized long heldBy(ClientAddress client) {
        Share share = shares.get(client);
        return share == null ? 0 : share.held;
    }

    /** True if the client has reached its own limit, although more may be available to others. */
    public synchronized boolean exhausted(ClientAddress client) {
        long held = heldBy(client);
        return left > 0 ? room(held) <= 0 : held >= mostOfOneClient;
    }

    private long room(long held) {
        long share = leavesSome ? FairShare.room(held, left) : left;
        return Math.max(0, Math.min(share, mostOfOneClient - held));
    }

    private Share share(ClientAddress client) {
        return shares.computeIfAbsent(client, Share::new);
    }

    private void book(Share share, long amount) {
        left -= amount;
        share.held += amount;
    }

    private void forgetIfIdle(Share share) {
        if (share.held == 0 && !share.hasWaiting()) {
            shares.remove(share.client);
        }
    }
}
