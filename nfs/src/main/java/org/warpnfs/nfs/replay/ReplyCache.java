package org.warpnfs.nfs.replay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.export.Identity;

/**
 * Answers to calls that must not be done twice: the duplicate request cache that RFC 1813 section 4.3 speaks of, and RFC 7530 section 9.1.7 where
 * it says what the sequence ids of owners have to be better than.
 *
 * <p>A client that has lost its connection sends what was not answered again on the next, with the same XID: a REMOVE that
 * was done would then find nothing, and a WRITE could undo what was written since.
 *
 * <pre>
 *   entry     event                                             next      answer
 *   -         a call                                            RUNNING   it is performed
 *   RUNNING   the same call                                     RUNNING   when the first has ended; "try later" beyond some
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
 * Safe for any thread; nobody waits here. Who has to wait for the same call is answered on the thread of that.
 *
 * <h2>Buffers</h2>
 *
 * Keeps the encoded results, not what they were encoded from, in a bounded number of bytes ({@link KeptReplies}). What runs or waits is
 * bounded by what the transports let run.
 *
 * <h2>Errors</h2>
 *
 * A defect of the call that is performed first goes on to the caller; of one that is performed or answered after that, it is logged, and that call fails.
 */
public final class ReplyCache {
    /** Of all clients and programs together. */
    public static final long MAX_BYTES = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ReplyCache.class);
    /** Of one call; a client that repeats more than that does not wait for answers. */
    private static final int MAX_WAITING = 8;

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

    /** A call that is being done. */
    private static final class Running {
        final CallKey key;
        final Queue<RememberedCall> waiting = new ArrayDeque<>(0);

        Running(CallKey key) {
            this.key = key;
        }
    }

    private final Map<CallKey, Running> running = new HashMap<>();
    private final KeptReplies kept;

    /** An empty cache that grows to {@code maxBytes}. */
    public ReplyCache(long maxBytes, LongSupplier clockNanos) {
        this.kept = new KeptReplies(maxBytes, clockNanos);
    }

    /**
     * Performs and answers {@code call}, or only answers it if it is the same as one before.
     *
     * @param arguments a checksum of all arguments
     */
    public void answer(RpcCall rpc, Identity identity, long arguments, RememberedCall call) {
        CallKey key = CallKey.of(rpc, identity, arguments);
        if (key == null) {
            send(call.perform(), call);
        } else {
            answer(key, call);
        }
    }

    void answer(CallKey key, RememberedCall call) {
        switch (begin(key, call)) {
            case Verdict.Perform(Running mine) -> perform(mine, call);
            case Verdict.Repeat(EncodedReply reply) -> call.answer(reply);
            case Verdict.Wait _ -> {
                // The thread that does it answers.
            }
            case Verdict.Refuse _ -> call.putOff();
        }
    }

    private synchronized Verdict begin(CallKey key, RememberedCall call) {
        EncodedReply reply = kept.find(key);
        if (reply != null) {
            return new Verdict.Repeat(reply);
        }
        Running first = running.get(key);
        if (first == null) {
            Running mine = new Running(key);
            running.put(key, mine);
            return new Verdict.Perform(mine);
        }
        if (first.waiting.size() == MAX_WAITING) {
            return new Verdict.Refuse();
        }
        first.waiting.add(call);
        return new Verdict.Wait();
    }

    private void perform(Running mine, RememberedCall first) {
        try {
            performOne(mine, first);
        } finally {
            for (RememberedCall next = next(mine); next != null; next = next(mine)) {
                guarded(next, call -> performOne(mine, call));
            }
        }
    }

    private void performOne(Running mine, RememberedCall call) {
        RememberedCall.Outcome outcome = null;
        try {
            outcome = call.perform();
            send(outcome, call);
        } finally {
            switch (outcome) {
                case RememberedCall.Outcome.Kept(EncodedReply reply) ->
                    each(end(mine, reply), waiter -> waiter.answer(reply));
                case RememberedCall.Outcome.Passing(EncodedReply reply) ->
                    each(end(mine, null), waiter -> waiter.answer(reply));
                case RememberedCall.Outcome.Own _ -> {
                    // The next of those who wait is performed, or nobody waits.
                }
                case null -> each(end(mine, null), RememberedCall::putOff);
            }
        }
    }

    private static void send(RememberedCall.Outcome outcome, RememberedCall call) {
        switch (outcome) {
            case RememberedCall.Outcome.Kept(EncodedReply reply) -> call.answer(reply);
            case RememberedCall.Outcome.Passing(EncodedReply reply) -> call.answer(reply);
            case RememberedCall.Outcome.Own(Runnable send) -> send.run();
        }
    }

    /** The call has come to something that all hear who wait for it. */
    private synchronized List<RememberedCall> end(Running mine, @Nullable EncodedReply reply) {
        running.remove(mine.key, mine);
        if (reply != null) {
            kept.keep(mine.key, reply);
        }
        List<RememberedCall> waiting = new ArrayList<>(mine.waiting);
        mine.waiting.clear();
        return waiting;
    }

    /** The next to be performed, or null if the call has ended, as it has when nobody waits. */
    private synchronized @Nullable RememberedCall next(Running mine) {
        RememberedCall next = mine.waiting.poll();
        if (next == null) {
            running.remove(mine.key, mine);
        }
        return next;
    }

    private static void each(List<RememberedCall> calls, Consumer<RememberedCall> action) {
        calls.forEach(call -> guarded(call, action));
    }

    /** So that what goes wrong with a call does not reach one whose thread it is on. */
    private static void guarded(RememberedCall call, Consumer<RememberedCall> action) {
        try {
            action.accept(call);
        } catch (RuntimeException | Error e) {
            LOG.error("a call that waited for another could not be answered, by a bug of the server", e);
            call.fail();
        }
    }

    /** Bytes in use, for tests and metrics. */
    public synchronized long bytes() {
        return kept.bytes();
    }
}
