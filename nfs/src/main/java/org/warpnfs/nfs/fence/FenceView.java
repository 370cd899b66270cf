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

    /** Knows no metadata server. */
    public static final FenceView NONE = new FenceView(
            new FenceStore() {
                @Override
                public Map<String, byte[]> read() {
                    return Map.of();
                }

                @Override
                public void write(String node, byte[] text) {
                    throw new IllegalStateException("no cluster");
                }
            },
            System::nanoTime);

    private static final Logger LOG = LoggerFactory.getLogger(FenceView.class);
    private static final long PERIOD_MILLIS = 500;
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PATIENCE_MILLIS = 1000;

    private record OfServer(FenceEpochs epochs, long beganNanos) {}

    private final FenceStore store;
    private final LongSupplier clockNanos;
    private volatile Map<String, OfServer> seen = Map.of();
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
        if (known == null && mayWait) {
            awaitReading();
            known = known(tag, clockNanos.getAsLong());
        }
        return known;
    }

    private @Nullable List<FenceEpochs> known(int tag, long nowNanos) {
        Map<String, OfServer> servers = seen;
        List<FenceEpochs> epochs = new ArrayList<>(1);
        boolean isKnown = false;
        for (Map.Entry<String, OfServer> server : servers.entrySet()) {
            if (nowNanos - server.getValue().beganNanos() < LEASE_NANOS) {
                isKnown = true;
                if (FenceStamp.tagOf(server.getKey()) == tag) {
                    epochs.add(server.getValue().epochs());
                }
            }
        }
        return isKnown ? epochs : null;
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
            Map<String, OfServer> next = new HashMap<>();
            store.read().forEach((node, text) -> {
                FenceEpochs epochs = FenceEpochs.parse(text);
                OfServer before = seen.get(node);
                if (epochs != null) {
                    next.put(node, new OfServer(epochs, began));
                } else if (before != null) {
                    // It is being written.
                    next.put(node, before);
                }
            });
            seen = Map.copyOf(next);
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
