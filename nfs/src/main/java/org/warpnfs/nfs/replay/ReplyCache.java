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
 * Answers to calls that must not be done twice: the duplicate request cache that RFC 1813, section 4.3 speaks of, and
 * RFC 7530, section 9.1.7 where it says what the sequence ids of owners have to be better than.
 *
 * <p>A client that has lost its connection sends what was not answered again on the next, with the same XID: a REMOVE
 * that was done would then find nothing, and a WRITE could undo what was written since.
 *
 * <pre>
 *   entry     event                                             next      answer
 *   -         a call                                            RUNNING   it is performed
 *   RUNNING   the same call                                     RUNNING   when the first has ended, or "try later"
 *   RUNNING   ended: done                                       DONE      to all who wait
 *   RUNNING   ended: told to come later                         -         to all who wait
 *   RUNNING   ended: nothing changed; nobody waits              -         to the call
 *   RUNNING   ended: nothing changed; some wait                 RUNNING   to the call; the next of them is performed
 *   RUNNING   ended: a defect                                   -         "try later" to all who wait
 *   DONE      the same call                                     DONE      the same bytes
 *   DONE      two minutes old, or its client's share is used up -
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * Safe for any thread; nobody waits here. Who has to wait for the same call is answered on the thread on which that
 * ends: it may go on elsewhere. Each client has a lock of its own ({@link ClientReplies}), so that clients do not meet.
 *
 * <h2>Buffers</h2>
 *
 * Keeps the encoded results, not what they were encoded from, in a bounded number of bytes. Most of them are for calls
 * that may not be done twice at all. WRITEs are many, and doing one again writes the same bytes: it is wrong only if
 * another's were written in between. They have a budget of their own ({@link ReplyBudget}), so that a client that
 * writes at full speed does not push its own RENAME out, and keeps the replies to its last several thousand, which is
 * more than a client has under way. What runs or waits is bounded by what the transports let run.
 *
 * <h2>Errors</h2>
 *
 * A defect of the call that is performed first goes on to the caller; of one that is performed or answered after that,
 * it is logged, and that call fails.
 */
public final class ReplyCache {
    /** Of all clients and programs together. */
    public static final long MAX_BYTES = 32 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ReplyCache.class);
    /** Of one call; a client that repeats more than that does not wait for answers. */
    private static final int MAX_WAITING = 8;
    /** The part of the bytes that is for calls that can be repeated. */
    private static final int REPEATABLE_FRACTION = 4;
    /** One client is looked at for what is too old in so many calls of another. */
    private static final int CALLS_PER_SWEEP = 64;
    /** So many replies are dropped then, at most. */
    private static final int DROPPED_PER_SWEEP = 4 * CALLS_PER_SWEEP;

    /** What to do with a call. */
    private sealed interface Verdict {
        /** It is new. */
        record Perform(Running running) implements Verdict {}

        /** It was done: this was answered. */
        record Repeat(EncodedReply reply) implements Verdict {}

        /** It is being done: who asked hears when it has been. */
        record Wait() implements Verdict {}

        /** It is being done, and enough wait for it. */
        record Refuse() implements Verdict {}
    }

    private final ConcurrentMap<ClientAddress, ClientReplies> clients = new ConcurrentHashMap<>();
    /** All of them, the one that was swept last at the end. */
    private final Queue<ClientReplies> sweeps = new ConcurrentLinkedQueue<>();

    private final LongAdder repeated = new LongAdder();
    private final ReplyBudget once;
    private final ReplyBudget repeatable;
    private final LongSupplier clockNanos;

    /** An empty cache that grows to {@code maxBytes}. */
    public ReplyCache(long maxBytes, LongSupplier clockNanos) {
        this.repeatable = new ReplyBudget(maxBytes / REPEATABLE_FRACTION);
        this.once = new ReplyBudget(maxBytes - maxBytes / REPEATABLE_FRACTION);
        this.clockNanos = clockNanos;
    }

    /**
     * Performs and answers {@code call}, or only answers it if it is the same as one before.
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
                // The thread that does it answers.
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

    /** Under the client's lock. */
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

    /** So that clients that are gone leave nothing behind, whoever calls. */
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

    /** @param loop that performs it, if it has waited for another */
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

    /** @param outcome null of a defect */
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

    /** One after the other of those who wait, as long as each ends on this thread: not one inside the other. */
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

    /** Of one thread; a call that has gone on elsewhere and ends there finds itself outside. */
    private static final class Loop {
        private final Thread thread = Thread.currentThread();
        private boolean due;
        private boolean over;

        /** True if it comes round once more for the call that has just ended. */
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

    /** The call has come to something that all hear who wait for it. */
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

    /** The next to be performed, or null if the call has ended, as it has when nobody waits. */
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

    /** So that what goes wrong with a call does not reach one whose thread it is on. */
    private static void guarded(RememberedCall call, Consumer<RememberedCall> action) {
        CallOnThread.Described around = CallOnThread.begin(call.described());
        try {
            action.accept(call);
        } catch (RuntimeException | Error e) {
            LOG.error("a call that waited for another could not be answered, by a bug of the server", e);
            call.fail();
        } finally {
            CallOnThread.end(around);
        }
    }

    /** Bytes in use, for tests and metrics. */
    public long bytes() {
        return once.bytes() + repeatable.bytes();
    }

    /** Calls that were answered from memory, for metrics. */
    public long repeated() {
        return repeated.sum();
    }

    /**
     * Replies to calls that may not be done twice that had to make room before they were old, for tests and metrics.
     */
    public long dropped() {
        return once.dropped();
    }

    /** Replies to WRITEs that had to make room before they were old, for tests and metrics. */
    public long droppedRepeatable() {
        return repeatable.dropped();
    }

    /** Clients of whom something is kept or runs, or did a little while ago; for tests. */
    int clients() {
        return clients.size();
    }
}
