package org.warpnfs.nfs.nlm;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.LogLimiter;
import org.warpnfs.nfs.locks.ByteRange;

/**
 * Tells clients by GRANTED that a lock is theirs (X/Open XNFS, section 10.3.6).
 *
 * <h2>Operation</h2>
 *
 * A client that does not answer is called again, for a minute and a half in all: clients that wait ask again by LOCK
 * within that time. A lock that its client does not want, or that nobody could tell it of, is released. If the client
 * meanwhile locks, unlocks or cancels the same range by itself, what it answers to GRANTED has no meaning any more.
 *
 * <p>Safe for any thread; nothing waits.
 */
final class Granting {
    private static final Logger LOG = LoggerFactory.getLogger(Granting.class);
    /** Pauses between attempts. */
    private static final long[] PAUSES_SECONDS = {1, 3, 6, 10, 20, 30};

    private final PeerCalls calls;
    private final Consumer<PendingGrant> release;
    private final LogLimiter log = new LogLimiter();
    private final Map<NlmOwner, List<PendingGrant>> pending = new HashMap<>();

    /** @param release releases a lock that its client will never use */
    Granting(PeerCalls calls, Consumer<PendingGrant> release) {
        this.calls = calls;
        this.release = release;
    }

    /** Begins to tell a client. */
    void begin(PendingGrant grant) {
        synchronized (this) {
            pending.computeIfAbsent(grant.place().owner(), _ -> new ArrayList<>(1))
                    .add(grant);
        }
        attempt(grant);
    }

    /** The client itself has asked about the range. Returns true if it had not been told of a lock there. */
    synchronized boolean settle(HostHoldings.Place place, ByteRange range) {
        List<PendingGrant> grants = pending.get(place.owner());
        boolean found = grants != null
                && grants.removeIf(
                        grant -> grant.place().equals(place) && grant.range().overlaps(range));
        if (grants != null && grants.isEmpty()) {
            pending.remove(place.owner());
        }
        return found;
    }

    private synchronized boolean isPending(PendingGrant grant) {
        return pending.getOrDefault(grant.place().owner(), List.of()).contains(grant);
    }

    private synchronized boolean end(PendingGrant grant) {
        List<PendingGrant> grants = pending.get(grant.place().owner());
        boolean found = grants != null && grants.remove(grant);
        if (grants != null && grants.isEmpty()) {
            pending.remove(grant.place().owner());
        }
        return found;
    }

    private void attempt(PendingGrant grant) {
        if (isPending(grant)) {
            var _ = calls.call(grant.call()).whenComplete((reply, failure) -> {
                if (failure != null) {
                    again(grant, String.valueOf(failure.getMessage()));
                } else {
                    answered(grant, reply);
                }
            });
        }
    }

    private void answered(PendingGrant grant, ByteBuffer reply) {
        OptionalInt status = status(reply);
        if (status.isEmpty() || status.getAsInt() == NlmStatus.DENIED_GRACE_PERIOD.code()) {
            again(grant, "its answer is not one");
        } else if (end(grant) && status.getAsInt() != NlmStatus.GRANTED.code()) {
            release.accept(grant);
        }
    }

    private void again(PendingGrant grant, String reason) {
        int before = grant.nextAttempt();
        if (before < PAUSES_SECONDS.length) {
            calls.after(TimeUnit.SECONDS.toNanos(PAUSES_SECONDS[before]), () -> attempt(grant));
        } else if (end(grant)) {
            NlmHost host = grant.place().owner().host();
            log.admit("cannot be told of a lock", host.client()).ifPresent(more -> LOG.atWarn()
                    .addKeyValue("fault", "peer")
                    .addKeyValue("peer", host.address().getHostAddress())
                    .addKeyValue("cause", "GRANTED")
                    .log(
                            "{} cannot be told that a lock is granted, which is released: {} ({} more like it)",
                            host.shown(),
                            reason,
                            more));
            release.accept(grant);
        }
    }

    /** The status in nlm4_res: a cookie, then the status. */
    static OptionalInt status(ByteBuffer reply) {
        if (reply.remaining() < Integer.BYTES) {
            return OptionalInt.empty();
        }
        int cookieBytes = reply.getInt();
        if (cookieBytes < 0 || cookieBytes > Netobj.MAX_LENGTH_BYTES) {
            return OptionalInt.empty();
        }
        int padded = cookieBytes + 3 & ~3;
        if (reply.remaining() < padded + Integer.BYTES) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(reply.getInt(reply.position() + padded));
    }
}
