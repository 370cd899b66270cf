package org.warpnfs.nfs.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.export.Identity;
import org.warpnfs.nfs.replay.ClientReplies.Running;

/**
 * Answers repetitions of calls that must not be performed twice: the duplicate request cache of RFC 1813, section 4.3.
 * For the opens and locks of NFSv4.0, sequence ids of owners do better than such a cache (RFC 7530, section 9.1.7).
 *
 * <p>After the loss of a connection a client repeats unanswered calls on a new one, with the same XIDs. Without the
 * cache, a REMOVE that was done would then find nothing, and a WRITE could undo what was written since.
 *
 * <pre>
 *   entry     event                                             next      answer
 *   -         a call                                            RUNNING   it is performed
 *   RUNNING   the same call                                     RUNNING   when the first has ended, or "try later"
 *   RUNNING   ended: done                                       DONE      to all that wait
 *   RUNNING   ended: told to try later                          -         to all that wait
 *   RUNNING   ended: nothing changed; none waits                -         to the call
 *   RUNNING   ended: nothing changed; some wait                 RUNNING   to the call; the next of them is performed
 *   RUNNING   ended: a defect                                   -         "try later" to all that wait
 *   DONE      the same call                                     DONE      the same bytes
 *   DONE      two minutes old, or its client's share is used up -
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * Safe for any thread. No thread waits here: a call that waits for the same call is answered on the thread on which
 * that one ends, which may not be the one it began on. Each client has a lock of its own ({@link ClientReplies}), so
 * that clients do not contend.
 *
 * <h2>Buffers</h2>
 *
 * Keeps the encoded results, not the objects that they were encoded from, in a bounded number of bytes. Most of them
 * are for calls that must never be performed twice. WRITEs are many, and performing one again writes the same bytes.
 * This is wrong only if other bytes were written in between. WRITEs have a budget of their own ({@link ReplyBudget}),
 * so that a client that writes at full speed does not displace the reply to its own RENAME. It still keeps the replies
 * to its last several thousand WRITEs, which is more than a client has in flight. The number of calls that run or wait
 * is bounded by what the transports admit.
 *
 * <h2>Errors</h2>
 *
 * A defect of the call that is performed first is thrown to the caller. A defect of a call that is performed or
 * answered after it is logged, and that call fails.
 */
public final class ReplyCache {
    /** Limit for all clients and programs together. */
    public static final long MAX_BYTES = 32 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ReplyCache.class);
    /** Most repetitions of a call that wait. A further one is told to try later. */
    private static final int MAX_WAITING = 8;
    /** One part in this many of the bytes is for repeatable calls. */
    private static final int REPEATABLE_FRACTION = 4;
    /** One client is swept of old replies in this many calls of another. */
    private static final int CALLS_PER_SWEEP = 64;
    /** Most replies that one sweep drops. */
    private static final int DROPPED_PER_SWEEP = 4 * CALLS_PER_SWEEP;

    /** What to do with a call. */
    private sealed interface Verdict {
        /** The call is new: perform it. */
        record Perform(Running running) implements Verdict {}

        /** The call was performed before: send its reply again. */
        record Repeat(EncodedReply reply) implements Verdict {}

        /** The same call is in progress: answer when it has ended. */
        record Wait() implements Verdict {}

        /** The same call is in progress, and enough repetitions wait for it. */
        record Refuse() implements Verdict {}
    }

    private final ConcurrentMap<ClientAddress, ClientReplies> clients = new ConcurrentHashMap<>();
    /** All clients, the one that was swept last at the end. */
    private final Queue<ClientReplies> sweeps = new ConcurrentLinkedQueue<>();

    private final LongAdder repeated = new LongAdder();
    private final ReplyBudget once;
    private final ReplyBudget repeatable;
    private final LongSupplier clockNanos;

    /** An empty cache that keeps at most {@code maxBytes}. */
    public ReplyCache(long maxBytes, LongSupplier clockNanos) {
        this.repeatable = new ReplyBudget(maxBytes / REPEATABLE_FRACTION);
        this.once = new ReplyBudget(maxBytes - maxBytes / REPEATABLE_FRACTION);
        this.clockNanos = clockNanos;
    }

    /**
     * Performs and answers {@code call}, or only answers it if it repeats an earlier one.
     *
     * @param arguments a checksum of all arguments
     */
    public void answer(RpcCall rpc, Identity identity, long arguments, RememberedCall call) {
        CallKey key = CallKey.of(rpc, identity, arguments);
        if (key == null) {
            call.perform(outcome -> {
                if (outcome != null) {
                    send(outcome, call);
                }
            });
        } else {
            answer(key, call);
        }
    }

    void answer(CallKey key, RememberedCall call) {
        switch (begin(key, call)) {
            case Verdict.Perform(Running mine) -> perform(mine, call, null);
            case Verdict.Repeat(EncodedReply reply) -> {
                repeated.increment();
                call.answer(reply);
            }
            case Verdict.Wait _ -> {
                // It is answered on the thread on which the same call ends.
            }
            case Verdict.Refuse _ -> call.putOff();
        }
    }

    private Verdict begin(CallKey key, RememberedCall call) {
        ClientAddress address = ClientAddress.of(key.client());
        boolean sweeps;
        Verdict verdict;
        do {
            ClientReplies client = clientAt(address);
            synchronized (client) {
                verdict = client.isRetired() ? null : verdict(client, key, call);
                sweeps = client.countsTo(CALLS_PER_SWEEP);
            }
        } while (verdict == null);
        if (sweeps) {
            sweepOne();
        }
        return verdict;
    }

    private ClientReplies clientAt(ClientAddress address) {
        ClientReplies known = clients.get(address);
        if (known != null) {
            return known;
        }
        ClientReplies added = new ClientReplies(address, once, repeatable);
        ClientReplies before = clients.putIfAbsent(address, added);
        if (before != null) {
            return before;
        }
        sweeps.add(added);
        return added;
    }

    /** Decides what to do with the call. The caller holds the client's lock. */
    private Verdict verdict(ClientReplies client, CallKey key, RememberedCall call) {
        EncodedReply reply = client.find(key, clockNanos.getAsLong());
        if (reply != null) {
            return new Verdict.Repeat(reply);
        }
        Running first = client.running(key);
        if (first == null) {
            return new Verdict.Perform(client.begin(key));
        }
        if (first.waiting.size() == MAX_WAITING) {
            return new Verdict.Refuse();
        }
        first.waiting.add(call);
        return new Verdict.Wait();
    }

    /** Sweeps the next client. Every client's calls do this, so that clients that are gone leave nothing behind. */
    private void sweepOne() {
        ClientReplies next = sweeps.poll();
        if (next == null) {
            return;
        }
        synchronized (next) {
            if (next.sweep(clockNanos.getAsLong(), DROPPED_PER_SWEEP)) {
                clients.remove(next.address(), next);
                return;
            }
        }
        sweeps.add(next);
    }

    /** @param loop the loop that performs the call, if the call has waited for another */
    private void perform(Running mine, RememberedCall call, @Nullable Loop loop) {
        AtomicBoolean told = new AtomicBoolean();
        boolean returned = false;
        try {
            call.perform(outcome -> {
                if (told.compareAndSet(false, true)) {
                    ended(mine, call, outcome, loop);
                }
            });
            returned = true;
        } finally {
            if (!returned && told.compareAndSet(false, true)) {
                ended(mine, call, null, loop);
            }
        }
    }

    /** @param outcome null after a defect */
    private void ended(
            Running mine, RememberedCall call, RememberedCall.@Nullable Outcome outcome, @Nullable Loop loop) {
        try {
            if (outcome != null) {
                send(outcome, call);
            }
        } finally {
            switch (outcome) {
                case RememberedCall.Outcome.Kept kept -> each(end(mine, kept), waiter -> waiter.answer(kept.reply()));
                case RememberedCall.Outcome.Passing(EncodedReply reply) ->
                    each(end(mine, null), waiter -> waiter.answer(reply));
                case RememberedCall.Outcome.Own _ -> {
                    if (loop == null || !loop.goesOn()) {
                        performNext(mine);
                    }
                }
                case null -> each(end(mine, null), RememberedCall::putOff);
            }
        }
    }

    /**
     * Performs the waiting calls one after the other, as long as each ends on this thread. The loop avoids a recursion.
     */
    private void performNext(Running mine) {
        Loop loop = new Loop();
        do {
            loop.due = false;
            RememberedCall next = next(mine);
            if (next == null) {
                break;
            }
            guarded(next, call -> perform(mine, call, loop));
        } while (loop.due);
        loop.over = true;
    }

    /** A loop on one thread. A call that goes on elsewhere and ends there is outside of the loop. */
    private static final class Loop {
        private final Thread thread = Thread.currentThread();
        private boolean due;
        private boolean over;

        /** Returns true if the loop performs the next call after the one that has just ended. */
        boolean goesOn() {
            if (Thread.currentThread() != thread || over) {
                return false;
            }
            due = true;
            return true;
        }
    }

    private static void send(RememberedCall.Outcome outcome, RememberedCall call) {
        switch (outcome) {
            case RememberedCall.Outcome.Kept kept -> call.answer(kept.reply());
            case RememberedCall.Outcome.Passing(EncodedReply reply) -> call.answer(reply);
            case RememberedCall.Outcome.Own(Runnable send) -> send.run();
        }
    }

    /** Ends a call whose outcome is also the answer to all repetitions that wait for it, and returns those. */
    private List<RememberedCall> end(Running mine, RememberedCall.Outcome.@Nullable Kept kept) {
        List<RememberedCall> waiting;
        synchronized (mine.client) {
            mine.client.end(mine);
            if (kept != null) {
                mine.client.keep(mine.key, kept, clockNanos.getAsLong());
            }
            waiting = new ArrayList<>(mine.waiting);
            mine.waiting.clear();
        }
        if (kept != null) {
            (kept.isRepeatable() ? repeatable : once).makeRoom();
        }
        return waiting;
    }

    /** The next waiting call to be performed. Returns null if none waits; the call has then ended. */
    private static @Nullable RememberedCall next(Running mine) {
        synchronized (mine.client) {
            RememberedCall next = mine.waiting.poll();
            if (next == null) {
                mine.client.end(mine);
            }
            return next;
        }
    }

    private static void each(List<RememberedCall> calls, Consumer<RememberedCall> action) {
        calls.forEach(call -> guarded(call, action));
    }

    /** Keeps a failure of one call from the call whose thread it runs on. */
    private static void guarded(RememberedCall call, Consumer<RememberedCall> action) {
        CallOnThread.Described around = CallOnThread.begin(call.described());
        try {
            action.accept(call);
        } catch (RuntimeException | Error e) {
            LOG.error("a call that waited for the same call could not be answered: a defect of this server", e);
            call.fail();
        } finally {
            CallOnThread.end(around);
        }
    }

    /** Bytes in use, for tests and metrics. */
    public long bytes() {
        return once.bytes() + repeatable.bytes();
    }

    /** Number of calls that were answered from the cache, for metrics. */
    public long repeated() {
        return repeated.sum();
    }

    /**
     * Number of replies that were dropped before they were old, to calls that must not be performed twice. For tests
     * and metrics.
     */
    public long dropped() {
        return once.dropped();
    }

    /** Number of replies to WRITEs that were dropped before they were old. For tests and metrics. */
    public long droppedRepeatable() {
        return repeatable.dropped();
    }

    /** Number of clients with kept replies or calls in progress, now or a little while ago. For tests. */
    int clients() {
        return clients.size();
    }
}
