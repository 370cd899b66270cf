package org.warpnfs.fs.local;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.cache.RemovalCause;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.DescriptorPressure;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.keys.KeyedHash;

/**
 * Directories that stay open between the calls of a listing, so that the next call need not open and search them.
 *
 * <p>A listing is kept under the cookie where it stopped, and for the caller that it was opened for. A call that goes
 * on there takes it out, so a listing has one user at a time; another call with the same cookie opens the directory
 * itself.
 *
 * <p>A directory that was changed since it was opened is closed and not used. So what a listing returns, and who may
 * list, is the same as if each call opened the directory. Every change of a name, of permissions, of the owner or of an
 * access control list changes the change time that is compared ({@link Stillness}). A directory whose change time would
 * not tell is not kept: one that was changed a few seconds ago, and any on a file system of a network or a daemon.
 *
 * <h2>Buffers</h2>
 *
 * At most {@value #MAX_LISTINGS} listings are kept, and a sixteenth of the descriptors for files, and each for
 * {@value #KEPT_SECONDS} seconds. The least recent is closed first. Names that were read and not yet taken are kept
 * too, and count: {@value #NAMES_OF_A_LISTING} of them as much as a listing. All are closed when descriptors are short.
 * Those of a directory that the server removes are closed at once, because they would keep its space.
 *
 * <p>Safe for many threads.
 */
final class KeptListings implements AutoCloseable {
    static final int MAX_LISTINGS = 256;
    /** Longer than a client that lists a directory pauses between two calls. */
    static final int KEPT_SECONDS = 5;

    private static final int BUDGET_PART = 16;
    static final int NAMES_OF_A_LISTING = 64;

    /** Where a listing goes on, and for whom. */
    record Key(FileHandle directory, Caller caller, long cookie) {
        @Override
        public int hashCode() {
            return KeyedHash.of(cookie, (long) directory.hashCode() << 32 ^ caller.hashCode());
        }
    }

    private final DescriptorBudget budget;
    private final Cache<Key, ListedDirectory> kept;
    private final DescriptorPressure.Relief relief = this::closeAll;
    /** How often a directory was removed. One that is being listed meanwhile must not be kept. */
    private final AtomicLong removals = new AtomicLong();

    KeptListings(DescriptorBudget budget, LongSupplier clockNanos) {
        this.budget = budget;
        this.kept = CacheBuilder.newBuilder()
                .concurrencyLevel(1)
                .maximumWeight((long) Math.min(MAX_LISTINGS, budget.forFiles() / BUDGET_PART) * NAMES_OF_A_LISTING)
                .weigher((Key _, ListedDirectory listed) -> NAMES_OF_A_LISTING + listed.namesLeft())
                .expireAfterWrite(Duration.ofSeconds(KEPT_SECONDS))
                .ticker(new Ticker() {
                    @Override
                    public long read() {
                        return clockNanos.getAsLong();
                    }
                })
                .<Key, ListedDirectory>removalListener(removed -> {
                    ListedDirectory listed = removed.getValue();
                    // Whoever removes one otherwise has taken it, or closes it.
                    if (listed != null && removed.getCause() != RemovalCause.EXPLICIT) {
                        closeKept(listed);
                    }
                })
                .build();
        DescriptorPressure.register(relief);
    }

    /** To be taken before a directory is opened or {@linkplain #take taken}, and given to {@link #keep}. */
    long removals() {
        return removals.get();
    }

    /**
     * Takes out the listing that goes on here, which is the caller's then; null if there is none or the directory was
     * changed.
     */
    @Nullable
    ListedDirectory take(Key key) {
        ListedDirectory listed = kept.asMap().remove(key);
        if (listed == null) {
            return null;
        }
        budget.give();
        if (listed.stillness().lasts()) {
            return listed;
        }
        listed.close();
        return null;
    }

    /**
     * Keeps a listing, or closes it.
     *
     * @param removalsBefore the {@link #removals} before it was opened or taken
     */
    void keep(Key key, ListedDirectory listed, long removalsBefore) {
        if (!listed.stillness().isPossible() || !budget.tryTake()) {
            listed.close();
            return;
        }
        kept.put(key, listed);
        if (removals.get() != removalsBefore && kept.asMap().remove(key, listed)) {
            closeKept(listed);
        }
    }

    /** Closes what is kept of a directory that was removed. */
    void forget(FileHandle directory) {
        long _ = removals.incrementAndGet();
        for (Key key : kept.asMap().keySet()) {
            if (key.directory().equals(directory)) {
                boolean _ = close(key);
            }
        }
    }

    /** Closes those that were kept for long enough. Must be called from time to time. */
    void sweep() {
        kept.cleanUp();
    }

    /** Number of listings that are kept. */
    int size() {
        return kept.asMap().size();
    }

    private boolean closeAll() {
        boolean closed = false;
        for (Key key : kept.asMap().keySet()) {
            closed |= close(key);
        }
        return closed;
    }

    private boolean close(Key key) {
        ListedDirectory listed = kept.asMap().remove(key);
        if (listed != null) {
            closeKept(listed);
        }
        return listed != null;
    }

    private void closeKept(ListedDirectory listed) {
        listed.close();
        budget.give();
    }

    /** Closes all. No listing may be in progress. */
    @Override
    public void close() {
        DescriptorPressure.unregister(relief);
        boolean _ = closeAll();
    }
}
