package org.warpnfs.nfs.fence;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fences of this metadata server, which it writes where data servers read them.
 *
 * <h2>Operation</h2>
 *
 * A fence gives the file another epoch at once, and is written in the background, together with all that have come
 * meanwhile. It is done {@value #WINDOW_SECONDS} seconds after the write: data servers use what they have read for
 * {@link FenceView#LEASE_NANOS}, and a second is for calls that they have begun.
 *
 * <h2>Errors</h2>
 *
 * A write that fails, for whatever reason, is tried again each second, as long as somebody asks whether a fence is
 * done. If a later process has taken this node over, nothing is written any more: {@link FenceStore} sees to that, also
 * if this process was stopped in the midst of a write.
 *
 * <p>Safe for any thread; no method but {@link #open} waits.
 */
public final class PublishedFences implements Fencing {
    static final int WINDOW_SECONDS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PublishedFences.class);
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(WINDOW_SECONDS);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final FenceStore.Claimed text;
    private final String node;
    private final LongSupplier epochs;
    private final Executor background;
    private final LongSupplier clockNanos;
    private final int tag;

    private FenceEpochs current;
    private List<Begun> unwritten = new ArrayList<>();
    private boolean isWriting;
    private boolean hasFailed;
    private long failedNanos;

    private final class Begun implements Fence {
        private volatile boolean isWritten;
        private volatile long writtenNanos;

        @Override
        public boolean isDone(long nowNanos) {
            if (!isWritten) {
                writeSoon();
                return false;
            }
            return nowNanos - writtenNanos >= WINDOW_NANOS;
        }
    }

    private PublishedFences(
            FenceStore.Claimed text,
            String node,
            FenceEpochs first,
            LongSupplier epochs,
            Executor background,
            LongSupplier clockNanos) {
        this.text = text;
        this.node = node;
        this.epochs = epochs;
        this.background = background;
        this.clockNanos = clockNanos;
        this.tag = FenceStamp.tagOf(node);
        this.current = first;
    }

    /**
     * Begins an epoch of all files, so layouts of an earlier process end.
     *
     * @param process its number, which grows with each process of the node
     * @param epochs random numbers
     * @param background for writes
     * @throws IOException also if a later process has taken this node over
     */
    public static PublishedFences open(
            FenceStore store,
            String node,
            int process,
            LongSupplier epochs,
            Executor background,
            LongSupplier clockNanos)
            throws IOException {
        FenceEpochs first = FenceEpochs.startingAt(process, epochs.getAsLong());
        return new PublishedFences(store.claim(node, first), node, first, epochs, background, clockNanos);
    }

    @Override
    public synchronized FenceStamp stamp(long file) {
        return new FenceStamp(tag, current.of(file));
    }

    @Override
    public Fence begin(long file) {
        Begun fence = new Begun();
        synchronized (this) {
            current = current.fence(file, epochs.getAsLong());
            unwritten.add(fence);
        }
        writeSoon();
        return fence;
    }

    /** Begins to end all layouts of this server, which stops. */
    public void endAll() {
        synchronized (this) {
            current = new FenceEpochs(current.process(), epochs.getAsLong(), Map.of());
            unwritten.add(new Begun());
            // Without the pause after a failure: nobody asks later.
            failedNanos = clockNanos.getAsLong() - RETRY_NANOS;
        }
        writeSoon();
    }

    /** True if data servers were not told of a fence that was begun. */
    public synchronized boolean isBehind() {
        return isWriting || !unwritten.isEmpty();
    }

    private void writeSoon() {
        synchronized (this) {
            if (isWriting || unwritten.isEmpty() || (hasFailed && clockNanos.getAsLong() - failedNanos < RETRY_NANOS)) {
                return;
            }
            isWriting = true;
        }
        try {
            background.execute(this::write);
        } catch (RejectedExecutionException e) {
            // The server has stopped: nobody is given anything any more.
            synchronized (this) {
                isWriting = false;
            }
        }
    }

    private void write() {
        boolean more = true;
        while (more) {
            List<Begun> begun;
            FenceEpochs next;
            synchronized (this) {
                begun = unwritten;
                unwritten = new ArrayList<>();
                next = current;
            }
            IOException failure = tryWrite(next);
            synchronized (this) {
                if (failure == null) {
                    written(begun, clockNanos.getAsLong());
                } else {
                    begun.addAll(unwritten);
                    unwritten = begun;
                    failed(failure);
                }
                more = failure == null && !unwritten.isEmpty();
                isWriting = more;
            }
        }
    }

    private @Nullable IOException tryWrite(FenceEpochs next) {
        try {
            return text.replace(next) ? null : new IOException("a later process has taken node " + node + " over");
        } catch (IOException e) {
            return e;
        } catch (RuntimeException e) {
            return new IOException(e);
        }
    }

    private void written(List<Begun> begun, long nowNanos) {
        for (Begun fence : begun) {
            fence.writtenNanos = nowNanos;
            fence.isWritten = true;
        }
        if (hasFailed) {
            LOG.info("Fences of layouts can be written again");
            hasFailed = false;
        }
    }

    private void failed(IOException failure) {
        if (!hasFailed) {
            LOG.error(
                    "A fence of layouts cannot be written: {}. Changes of the file wait until it can be",
                    failure.getMessage());
        }
        hasFailed = true;
        failedNanos = clockNanos.getAsLong();
    }
}
