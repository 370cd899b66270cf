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
 * Looks whether the roots of all exports can be read, and are what is at their paths.
 *
 * <p>A backend may stand still instead of failing, as a disk or a network file system does that has gone. So one thread
 * looks, those who ask wait for it for a while, and no second look begins before it has come back. Each change is
 * logged once. Safe for any thread.
 */
final class BackendCheck {
    private static final Logger LOG = LoggerFactory.getLogger(BackendCheck.class);
    private static final String LOOKED = "every export can be read";
    /** Of a verdict; the log has the others. */
    private static final int MOST_NAMED = 3;

    private final Supplier<List<Export>> exports;
    private final Duration patience;
    private final LongSupplier clockNanos;

    /** A look that is under way, or was the last; its result has what is wrong by the export's path. */
    private record Look(CompletableFuture<Map<String, String>> result, long beganNanos) {}

    private @Nullable Look current;
    /** What has been logged and not yet been mended, by the export's path; guarded by this. */
    private final Map<String, String> told = new HashMap<>();

    private volatile String at = "";

    /** @param patience how long one who asks waits */
    BackendCheck(Supplier<List<Export>> exports, Duration patience, LongSupplier clockNanos) {
        this.exports = exports;
        this.patience = patience;
        this.clockNanos = clockNanos;
    }

    /** Looks, and waits for what is found. */
    Verdict look() {
        Look look = begun();
        try {
            return verdict(look.result.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(clockNanos.getAsLong() - look.beganNanos);
            return Verdict.bad("the backend of export " + at + " has not answered for " + seconds + " s");
        } catch (ExecutionException e) {
            return Verdict.bad("the exports cannot be looked at: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Verdict.bad("interrupted");
        }
    }

    /** Begins a look unless one is under way; of one that takes longer than anyone waits the log says so. */
    void lookLater() {
        Look look = begun();
        if (!look.result.isDone() && clockNanos.getAsLong() - look.beganNanos > patience.toNanos()) {
            tell(Map.of(at, "its backend does not answer"), Set.of(at));
        }
    }

    /** How many exports the last look found something wrong with. */
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
        if (last != null && !last.result.isDone()) {
            return last;
        }
        Look fresh = new Look(new CompletableFuture<>(), clockNanos.getAsLong());
        current = fresh;
        // A platform thread: the local backend calls into the C library, and may stand still there.
        Thread.ofPlatform().daemon().name("backend-check").start(() -> {
            try {
                fresh.result.complete(lookNow());
            } catch (Throwable e) {
                fresh.result.completeExceptionally(e);
            }
        });
        return fresh;
    }

    private Map<String, String> lookNow() {
        Map<String, String> faults = new LinkedHashMap<>();
        Set<String> looked = new HashSet<>();
        for (Export export : exports.get()) {
            at = export.path().toString();
            String fault = faultOf(export.fileSystem());
            // A reload may have withdrawn it meanwhile.
            if (fault != null && exports.get().contains(export)) {
                faults.put(at, fault);
            }
            looked.add(at);
        }
        forgetAllBut(looked);
        tell(faults, looked);
        return faults;
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
        }
    }

    private synchronized void forgetAllBut(Set<String> served) {
        told.keySet().retainAll(served);
    }

    /** Logs what is new about these exports, and which of them are well again. */
    private synchronized void tell(Map<String, String> faults, Set<String> looked) {
        for (String export : looked) {
            String fault = faults.get(export);
            String before = fault == null ? told.remove(export) : told.put(export, fault);
            if (fault != null && !fault.equals(before)) {
                LOG.warn("export {}: {}", export, fault);
            } else if (fault == null && before != null) {
                LOG.info("export {}: is well again", export);
            }
        }
    }
}
