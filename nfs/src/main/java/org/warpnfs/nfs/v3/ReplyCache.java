package org.warpnfs.nfs.v3;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers to calls that must not be done twice (the duplicate request cache that RFC 1813 §4.3 speaks of).
 *
 * <p>A client that has lost its connection sends what was not answered again on the next, with the same XID: a REMOVE that
 * was done would then find nothing, and a WRITE could undo what was written since. So neither the source port nor the transport
 * counts, and since XIDs of two mounts of one client may meet, a checksum over the whole call does.
 *
 * <pre>
 *   entry     event                                             next      answer
 *   -         a call                                            RUNNING   it is done
 *   RUNNING   the same call                                     RUNNING   when the first is done; JUKEBOX beyond some
 *   RUNNING   done                                              DONE      to all who wait
 *   RUNNING   JUKEBOX: nothing was done; or a defect            -         to all who wait
 *   DONE      the same call                                     DONE      the same bytes
 *   DONE      two minutes old, or its client's share is used up -
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * Keeps the encoded results, not what they were encoded from, in a bounded number of bytes. What goes first when they are used up
 * is the oldest of the client that has most: nobody can push another's out who keeps within its share. What runs is bounded by
 * what the transports let run.
 *
 * <p>Safe for any thread; nobody waits here.
 */
final class ReplyCache {
    static final long MAX_BYTES = 16 << 20;
    static final long MAX_AGE_NANOS = Duration.ofMinutes(2).toNanos();

    /** Of one call; a client that repeats more than that does not wait for answers. */
    private static final int MAX_WAITING = 8;
    /** An entry without its reply, with what the collections add. */
    private static final int ENTRY_BYTES = 256;
    /** Room is made for more than one, so that not every call looks for it. */
    private static final long ROOM_FRACTION = 16;

    /**
     * Who asked what.
     *
     * @param checksum of credential and arguments
     */
    record Key(InetAddress client, int xid, int program, int procedure, long checksum) {}

    /** What to do with a call. */
    sealed interface Verdict {
        /** It is new: do it, then {@link #done} or {@link #undone}. */
        record Perform(Running running) implements Verdict {}

        /** It was done: this was answered. */
        record Repeat(EncodedReply reply) implements Verdict {}

        /** It is being done: who asked hears when it has been. */
        record Wait() implements Verdict {}

        /** It is being done, and enough wait for it. */
        record Refuse() implements Verdict {}
    }

    /** A call that is being done. */
    static final class Running {
        private final Key key;
        private final List<Consumer<@Nullable EncodedReply>> waiting = new ArrayList<>(0);

        private Running(Key key) {
            this.key = key;
        }
    }

    private record Done(EncodedReply reply, long atNanos) {
        long bytes() {
            return ENTRY_BYTES + (long) reply.lengthBytes();
        }
    }

    /** What one client was answered, oldest first. */
    private static final class Share {
        final LinkedHashMap<Key, Done> replies = new LinkedHashMap<>();
        long bytes;
    }

    private final long maxBytes;
    private final LongSupplier clockNanos;
    private final Map<Key, Running> running = new HashMap<>();
    private final Map<InetAddress, Share> shares = new HashMap<>();
    private long bytes;
    private long sweptNanos;

    /** An empty cache that grows to {@code maxBytes}. */
    ReplyCache(long maxBytes, LongSupplier clockNanos) {
        this.maxBytes = maxBytes;
        this.clockNanos = clockNanos;
        this.sweptNanos = clockNanos.getAsLong();
    }

    /**
     * A call has come.
     *
     * @param waiter if the verdict is {@link Verdict.Wait}, hears the reply, or null if there is none; on the thread that ends
     *     the first call
     */
    synchronized Verdict begin(Key key, Consumer<@Nullable EncodedReply> waiter) {
        sweepNowAndThen();
        Share share = shares.get(key.client());
        Done done = share == null ? null : share.replies.get(key);
        if (done != null && !isOld(done)) {
            return new Verdict.Repeat(done.reply());
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
        first.waiting.add(waiter);
        return new Verdict.Wait();
    }

    /** A call has been done, and this is its reply from now on. */
    void done(Running call, EncodedReply reply) {
        synchronized (this) {
            running.remove(call.key);
            keep(call.key, new Done(reply, clockNanos.getAsLong()));
        }
        call.waiting.forEach(waiter -> waiter.accept(reply));
    }

    /**
     * A call has come to nothing, and may be done when it comes again.
     *
     * @param reply for those who wait, or null
     */
    void undone(Running call, @Nullable EncodedReply reply) {
        synchronized (this) {
            running.remove(call.key);
        }
        call.waiting.forEach(waiter -> waiter.accept(reply));
    }

    private void keep(Key key, Done done) {
        Share share = shares.computeIfAbsent(key.client(), _ -> new Share());
        Done before = share.replies.put(key, done);
        if (before != null) {
            account(share, -before.bytes());
        }
        account(share, done.bytes());
        while (bytes > maxBytes) {
            makeRoom();
        }
    }

    /** At the cost of the client that has most. */
    private void makeRoom() {
        Map.Entry<InetAddress, Share> largest = shares.entrySet().stream()
                .max(Comparator.comparingLong(entry -> entry.getValue().bytes))
                .orElseThrow();
        long room = Math.min(maxBytes / ROOM_FRACTION, largest.getValue().bytes / 2);
        long target = Math.min(maxBytes - 1, bytes - room);
        while (bytes > target && !largest.getValue().replies.isEmpty()) {
            dropOldest(largest.getValue());
        }
        if (largest.getValue().replies.isEmpty()) {
            shares.remove(largest.getKey());
        }
    }

    private void dropOldest(Share share) {
        account(share, -share.replies.pollFirstEntry().getValue().bytes());
    }

    private void account(Share share, long moreBytes) {
        share.bytes += moreBytes;
        bytes += moreBytes;
    }

    private boolean isOld(Done done) {
        return clockNanos.getAsLong() - done.atNanos() > MAX_AGE_NANOS;
    }

    private void sweepNowAndThen() {
        long now = clockNanos.getAsLong();
        if (now - sweptNanos < MAX_AGE_NANOS / 8) {
            return;
        }
        sweptNanos = now;
        shares.values().removeIf(share -> {
            while (!share.replies.isEmpty() && isOld(share.replies.firstEntry().getValue())) {
                dropOldest(share);
            }
            return share.replies.isEmpty();
        });
    }

    /** Bytes in use, for tests and metrics. */
    synchronized long bytes() {
        return bytes;
    }
}
