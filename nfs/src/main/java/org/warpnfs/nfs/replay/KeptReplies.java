package org.warpnfs.nfs.replay;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What clients were answered, in a bounded number of bytes and for a bounded time. What goes first when the bytes are used up is the
 * oldest of the client that has most: nobody can push another's out who keeps within its share.
 *
 * <p>Not safe for several threads.
 */
final class KeptReplies {
    static final long MAX_AGE_NANOS = Duration.ofMinutes(2).toNanos();

    /** An entry without its reply, with what the collections add. */
    private static final int ENTRY_BYTES = 256;
    /** Room is made for more than one, so that not every call looks for it. */
    private static final long ROOM_FRACTION = 16;

    private record Kept(EncodedReply reply, long atNanos) {
        long bytes() {
            return ENTRY_BYTES + (long) reply.lengthBytes();
        }
    }

    /** What one client was answered, oldest first. */
    private static final class Share {
        final LinkedHashMap<CallKey, Kept> replies = new LinkedHashMap<>();
        long bytes;
    }

    private final long maxBytes;
    private final LongSupplier clockNanos;
    private final Map<InetAddress, Share> shares = new HashMap<>();
    private long bytes;
    private long sweptNanos;

    KeptReplies(long maxBytes, LongSupplier clockNanos) {
        this.maxBytes = maxBytes;
        this.clockNanos = clockNanos;
        this.sweptNanos = clockNanos.getAsLong();
    }

    /** Bytes in use. */
    long bytes() {
        return bytes;
    }

    /** What was answered, or null if it is not known any more. */
    @Nullable
    EncodedReply find(CallKey key) {
        sweepNowAndThen();
        Share share = shares.get(key.client());
        Kept kept = share == null ? null : share.replies.get(key);
        return kept == null || isOld(kept) ? null : kept.reply();
    }

    void keep(CallKey key, EncodedReply reply) {
        Kept kept = new Kept(reply, clockNanos.getAsLong());
        Share share = shares.computeIfAbsent(key.client(), _ -> new Share());
        // Taken out first: an entry that is put over another keeps its place among the oldest.
        Kept before = share.replies.remove(key);
        if (before != null) {
            account(share, -before.bytes());
        }
        share.replies.put(key, kept);
        account(share, kept.bytes());
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

    private boolean isOld(Kept kept) {
        return clockNanos.getAsLong() - kept.atNanos() > MAX_AGE_NANOS;
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
}
