package org.warpnfs.server.watch;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Export;

/**
 * Checks that the roots of all exports can be read, and are still the directories at their paths.
 *
 * <p>A backend may hang instead of failing, for instance a dead disk or network file system. So one thread checks,
 * callers wait for it for a limited time, and no second check starts before it has returned, unless a reload withdrew
 * the export where it hangs. Each change is logged once. Safe for any thread.
 */
final class BackendCheck {
    private static final Logger LOG = LoggerFactory.getLogger(BackendCheck.class);
    private static final String LOOKED = "every export can be read";
    /** The most exports that a verdict names; the log has all of them. */
    private static final int MOST_NAMED = 3;

    private final Supplier<List<Export>> exports;
    private final Duration patience;
    private final LongSupplier clockNanos;
    private final ThreadFactory threads;

    /** The running check, or the last one. */
    private static final class Look {
        /** The faults by the path of the export. */
        private final CompletableFuture<Map<String, String>> result = new CompletableFuture<>();

        private final long beganNanos;
        /** The export that is being checked. */
        private volatile @Nullable Export at;

        Look(long beganNanos) {
            this.beganNanos = beganNanos;
        }

        String place() {
            Export now = at;
            return now == null ? "" : now.path().toString();
        }
    }

    /** Guarded by this. */
    private @Nullable Look current;
    /** The logged faults that still exist, by the path of the export; guarded by this. */
    private final Map<String, String> told = new HashMap<>();

    /** @param patience how long a caller waits */
    BackendCheck(Supplier<List<Export>> exports, Duration patience, LongSupplier clockNanos) {
        // Platform threads: the local backend calls into the C library, and may hang there.
        this(
                exports,
                patience,
                clockNanos,
                Thread.ofPlatform().daemon().name("backend-check").factory());
    }

    BackendCheck(Supplier<List<Export>> exports, Duration patience, LongSupplier clockNanos, ThreadFactory threads) {
        this.exports = exports;
        this.patience = patience;
        this.clockNanos = clockNanos;
        this.threads = threads;
    }

    /** Checks the exports and waits for the result. */
    Verdict look() {
        Look look = begun();
        try {
            return verdict(look.result.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(clockNanos.getAsLong() - look.beganNanos);
            return Verdict.bad("the backend of export " + look.place() + " has not answered for " + seconds + " s");
        } catch (ExecutionException e) {
            return Verdict.bad("the exports cannot be checked: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Verdict.bad("interrupted");
        }
    }

    /** Starts a check unless one is running. A check that takes longer than callers wait is logged. */
    void lookLater() {
        Look look = begun();
        synchronized (this) {
            // A look tells what it found and is done in one step. So what is told here never stands behind that.
            if (look == current
                    && !look.result.isDone()
                    && clockNanos.getAsLong() - look.beganNanos > patience.toNanos()) {
                String slow = look.place();
                tell(Map.of(slow, "its backend does not answer"), Set.of(slow));
            }
        }
    }

    /** Returns the number of exports with a fault in the last check. */
    synchronized int failed() {
        return told.size();
    }

    private static Verdict verdict(Map<String, String> faults) {
        if (faults.isEmpty()) {
            return Verdict.good(LOOKED);
        }
        String named = faults.entrySet().stream()
                .limit(MOST_NAMED)
                .map(fault -> "export " + fault.getKey() + ": " + fault.getValue())
                .collect(Collectors.joining("; "));
        return Verdict.bad(
                faults.size() > MOST_NAMED ? named + "; and " + (faults.size() - MOST_NAMED) + " more" : named);
    }

    private synchronized Look begun() {
        Look last = current;
        if (last != null && !last.result.isDone() && isServed(last.at)) {
            return last;
        }
        Look fresh = new Look(clockNanos.getAsLong());
        current = fresh;
        try {
            threads.newThread(() -> run(fresh)).start();
        } catch (OutOfMemoryError e) {
            // There is no room for a thread now. The next look is a new one.
            fresh.result.completeExceptionally(e);
        }
        return fresh;
    }

    /** True also before the check has come to its first export. */
    private boolean isServed(@Nullable Export export) {
        return export == null || exports.get().contains(export);
    }

    private void run(Look look) {
        try {
            lookNow(look);
        } catch (Throwable e) {
            look.result.completeExceptionally(e);
        }
    }

    private void lookNow(Look look) {
        Map<String, String> faults = new LinkedHashMap<>();
        Set<String> looked = new HashSet<>();
        for (Export export : exports.get()) {
            look.at = export;
            String fault = faultOf(export.fileSystem());
            if (fault != null && isServed(export)) {
                faults.put(export.path().toString(), fault);
            }
            looked.add(export.path().toString());
        }
        synchronized (this) {
            if (look == current) {
                told.keySet().retainAll(looked);
                tell(faults, looked);
            }
            look.result.complete(faults);
        }
    }

    private static @Nullable String faultOf(FileSystem files) {
        try {
            String fault = files.fault().orElse(null);
            if (fault == null) {
                var _ = files.attributes(files.root());
                var _ = files.list(Caller.ROOT, files.root(), 0, false, entry -> false);
            }
            return fault;
        } catch (FsException e) {
            return "its root cannot be read: " + e.error();
        } catch (RuntimeException e) {
            // It hides no other export's fault.
            return "its root cannot be read, because of a defect of the server: " + e;
        }
    }

    /** Logs what is new about these exports, and which of them are well again. */
    private synchronized void tell(Map<String, String> faults, Set<String> looked) {
        for (String export : looked) {
            String fault = faults.get(export);
            String before = fault == null ? told.remove(export) : told.put(export, fault);
            if (fault != null && !fault.equals(before)) {
                LOG.warn("export {}: {}", export, fault);
            } else if (fault == null && before != null) {
                LOG.info("export {} is well again", export);
            }
        }
    }
}
