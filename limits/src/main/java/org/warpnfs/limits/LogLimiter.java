package org.warpnfs.limits;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.warpnfs.keys.KeyedHash;

/**
 * Keeps a peer from filling the log. It permits one line for each cause and client in an interval, and counts the
 * others.
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
 * Stores a bounded number of pairs of cause and client. If all entries are in use, the pair whose last line is oldest
 * is replaced once its interval is over. So many addresses, forged or not, get no more lines in an interval than there
 * are entries. Lines that were held back for pairs without an entry are counted in the next line of a new pair.
 *
 * <h2>Errors</h2>
 *
 * None. Safe for any thread.
 */
public final class LogLimiter {
    private record Key(String cause, ClientAddress client) {
        @Override
        public int hashCode() {
            return KeyedHash.of(cause.hashCode(), client.hashCode());
        }
    }

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

    /** Permits one line a minute for each of 1024 pairs of cause and client. */
    public LogLimiter() {
        this(DEFAULT_INTERVAL, DEFAULT_MAX_KEYS, System::nanoTime);
    }

    /**
     * @param interval the time between two lines of one cause about one client
     * @param maxKeys the number of pairs of cause and client that are stored, at least 1
     * @param clock nanoseconds that never go back
     */
    public LogLimiter(Duration interval, int maxKeys, LongSupplier clock) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("log limiter for " + maxKeys + " pairs, at least 1 is needed");
        }
        this.intervalNanos = interval.toNanos();
        this.maxKeys = maxKeys;
        this.clock = clock;
    }

    /**
     * Asks whether a line may be written now.
     *
     * @param cause one of a fixed number of words, never text from a peer
     * @return how many similar lines were held back since the last one; empty if this one is held back too
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
