package org.warpnfs.limits;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Keeps a peer from filling the log: one line for each cause and client in an interval, the rest are counted.
 *
 * <h2>Operation</h2>
 *
 * <pre>
 * limiter.admit("startup", client)
 *         .ifPresent(more -&gt; LOG.info("{}: no MPA request came ({} more like it)", client, more));
 * </pre>
 *
 * <h2>Buffers</h2>
 *
 * Remembers a bounded number of pairs of cause and client. When all places are taken, the pair that wrote its last line
 * first makes room, once its interval is over: so a crowd of addresses, forged ones among them, gets no more lines in
 * an interval than there are places. What is held back of pairs that are not remembered is told with the next one that
 * is new.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread.
 */
public final class LogLimiter {
    private record Key(String cause, ClientAddress client) {}

    private static final class Entry {
        final long wroteNanos;
        long held;

        Entry(long wroteNanos) {
            this.wroteNanos = wroteNanos;
        }
    }

    private static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(1);
    private static final int DEFAULT_MAX_KEYS = 1024;

    private final long intervalNanos;
    private final int maxKeys;
    private final LongSupplier clock;
    private final Map<Key, Entry> entries = new LinkedHashMap<>();
    private long heldOfStrangers;

    /** One line a minute for each of 1024 pairs of cause and client. */
    public LogLimiter() {
        this(DEFAULT_INTERVAL, DEFAULT_MAX_KEYS, System::nanoTime);
    }

    /**
     * @param interval between two lines of one cause about one client
     * @param maxKeys pairs of cause and client that are remembered, at least 1
     * @param clock nanoseconds that only go forward
     */
    public LogLimiter(Duration interval, int maxKeys, LongSupplier clock) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("a log limiter that remembers " + maxKeys + " pairs");
        }
        this.intervalNanos = interval.toNanos();
        this.maxKeys = maxKeys;
        this.clock = clock;
    }

    /**
     * Asks whether a line may be written now.
     *
     * @param cause one of a fixed number of words, never text from a peer
     * @return how many lines like it were held back since the last one; empty if this one is held back too
     */
    public synchronized OptionalLong admit(String cause, ClientAddress client) {
        Key key = new Key(cause, client);
        long now = clock.getAsLong();
        Entry last = entries.get(key);
        if (last != null && now - last.wroteNanos < intervalNanos) {
            last.held++;
            return OptionalLong.empty();
        }
        entries.remove(key);
        if (entries.size() == maxKeys) {
            Iterator<Entry> oldest = entries.values().iterator();
            Entry first = oldest.next();
            if (now - first.wroteNanos < intervalNanos) {
                heldOfStrangers++;
                return OptionalLong.empty();
            }
            heldOfStrangers += first.held;
            oldest.remove();
        }
        entries.put(key, new Entry(now));
        if (last != null) {
            return OptionalLong.of(last.held);
        }
        long held = heldOfStrangers;
        heldOfStrangers = 0;
        return OptionalLong.of(held);
    }
}
