package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a data server knows of the fences of metadata servers.
 *
 * <h2>Operation</h2>
 *
 * While clients use layouts here, a thread reads all fences each half second, and a READ or WRITE only looks at what
 * was read. Without one for a minute it reads nothing, and the next one waits for it. What was read is used for two
 * seconds from the moment in which the reading began.
 *
 * <h2>Errors</h2>
 *
 * What cannot be read in time is not known, and then every layout is refused.
 *
 * <p>Safe for any thread. {@link #of} waits for a second at most, and only if it is asked to.
 */
public final class FenceView implements AutoCloseable {
    /** For how long what was read is used. */
    static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** That of a server without a cluster, for which no handle is that of a layout. */
    public static final FenceView NONE = new FenceView(
            new FenceStore() {
                @Override
                public Map<String, byte[]> read() {
                    return Map.of();
                }

                @Override
                public Claimed claim(String node, FenceEpochs first) {
                    throw new IllegalStateException("no cluster");
                }
            },
            System::nanoTime);

    private static final Logger LOG = LoggerFactory.getLogger(FenceView.class);
    private static final long PERIOD_MILLIS = 500;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PATIENCE_MILLIS = 1000;

    /** @param epochs null if none could be read yet */
    private record OfServer(@Nullable FenceEpochs epochs, long beganNanos) {
        boolean isCurrent(long nowNanos) {
            return epochs != null && nowNanos - beganNanos < LEASE_NANOS;
        }
    }

    private record Reading(Map<String, OfServer> servers, long beganNanos) {
        boolean isCurrent(long nowNanos) {
            return nowNanos - beganNanos < LEASE_NANOS;
        }
    }

    private final FenceStore store;
    private final LongSupplier clockNanos;
    private volatile @Nullable Reading seen;
    private volatile long usedNanos;
    private boolean isClosed;
    private boolean hasFailed;
    /** Somebody waits for the next reading. */
    private boolean isAsked;

    private int readings;
    private @Nullable Thread reader;

    /** A view that reads only when {@link #read} is called, and has no thread. */
    public FenceView(FenceStore store, LongSupplier clockNanos) {
        this.store = store;
        this.clockNanos = clockNanos;
        this.usedNanos = clockNanos.getAsLong() - IDLE_NANOS;
    }

    /** A view with a thread of its own. */
    public static FenceView reading(FenceStore store) {
        FenceView view = new FenceView(store, System::nanoTime);
        view.start();
        return view;
    }

    private synchronized void start() {
        reader = Thread.ofPlatform().daemon().name("fences").start(this::run);
    }

    /** False if no handle can be that of a layout. */
    public boolean isUsed() {
        return this != NONE;
    }

    /**
     * The epochs of the metadata servers with that tag.
     *
     * @param mayWait false on an event loop
     * @return empty if there is none; null if that is not known, or not without a wait
     */
    public @Nullable List<FenceEpochs> of(int tag, boolean mayWait) {
        long now = clockNanos.getAsLong();
        usedNanos = now;
        List<FenceEpochs> known = known(tag, now);
        Reading last = seen;
        // What has just been read does not become known by another reading: it is being written.
        if (known == null && mayWait && (last == null || !last.isCurrent(now))) {
            awaitReading();
            known = known(tag, clockNanos.getAsLong());
        }
        return known;
    }

    private @Nullable List<FenceEpochs> known(int tag, long nowNanos) {
        Reading last = seen;
        if (last == null || !last.isCurrent(nowNanos)) {
            return null;
        }
        List<FenceEpochs> epochs = new ArrayList<>(1);
        boolean isUnknown = false;
        for (Map.Entry<String, OfServer> server : last.servers().entrySet()) {
            if (FenceStamp.tagOf(server.getKey()) != tag) {
                continue;
            }
            FenceEpochs its = server.getValue().epochs();
            if (its != null && server.getValue().isCurrent(nowNanos)) {
                epochs.add(its);
            } else {
                isUnknown = true;
            }
        }
        return isUnknown && epochs.isEmpty() ? null : epochs;
    }

    private synchronized void awaitReading() {
        if (reader == null || hasFailed) {
            return;
        }
        int before = readings;
        isAsked = true;
        notifyAll();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        try {
            for (long left = PATIENCE_MILLIS; readings == before && !isClosed && left > 0; ) {
                wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads all fences now. */
    public void read() {
        long began = clockNanos.getAsLong();
        try {
            Reading last = seen;
            Map<String, OfServer> next = new HashMap<>();
            store.read().forEach((node, text) -> {
                FenceEpochs epochs = FenceEpochs.parse(text);
                OfServer before = last == null ? null : last.servers().get(node);
                // Without epochs it is being written.
                next.put(node, epochs == null && before != null ? before : new OfServer(epochs, began));
            });
            seen = new Reading(Map.copyOf(next), began);
            told(null);
        } catch (IOException | RuntimeException e) {
            told(e);
        }
    }

    private synchronized void told(@Nullable Exception failure) {
        if (failure != null && !hasFailed) {
            LOG.error("Fences cannot be read: {}. Clients with layouts are refused", failure.toString());
        } else if (failure == null && hasFailed) {
            LOG.info("Fences can be read again");
        }
        hasFailed = failure != null;
        readings++;
        notifyAll();
    }

    private void run() {
        while (awaitUse()) {
            read();
        }
    }

    /** Waits for the next reading. Returns false if there is none any more. */
    private synchronized boolean awaitUse() {
        long begunNanos = System.nanoTime();
        try {
            while (!isClosed && !isAsked) {
                boolean isIdle = clockNanos.getAsLong() - usedNanos >= IDLE_NANOS;
                long leftMillis = PERIOD_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
                if (!isIdle && leftMillis <= 0) {
                    break;
                }
                // Without an end while nobody uses what would be read.
                wait(isIdle ? 0 : leftMillis);
            }
        } catch (InterruptedException e) {
            return false;
        }
        isAsked = false;
        return !isClosed;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        notifyAll();
    }
}
