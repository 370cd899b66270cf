package org.warpnfs.tools.iwarp;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Waits for a test's end, reports its progress, and fails it if there is none.
 *
 * @param intervalSeconds the interval of progress lines; 0 for none
 * @param patienceSeconds the time without a message after which the test has failed
 * @param lines receives the lines
 */
record Progress(int intervalSeconds, int patienceSeconds, Consumer<String> lines) {
    private static final long TICK_MILLIS = 250;

    /** Waits until {@code done} completes. */
    void await(CompletableFuture<?> done, Meter meter, String what) throws TestFailure, InterruptedException {
        long toldNanos = 0;
        long toldMessages = 0;
        long toldBytes = 0;
        while (true) {
            try {
                done.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (ExecutionException e) {
                throw failure(e);
            } catch (TimeoutException e) {
                long elapsed = meter.elapsedNanos();
                if (intervalSeconds > 0 && elapsed - toldNanos >= TimeUnit.SECONDS.toNanos(intervalSeconds)) {
                    long messages = meter.messages();
                    long bytes = meter.bytes();
                    lines.accept(String.format(Locale.ROOT, "%7.1f s  %d messages, ", elapsed / 1e9, messages)
                            + Summary.rate(messages - toldMessages, bytes - toldBytes, elapsed - toldNanos));
                    toldNanos = elapsed;
                    toldMessages = messages;
                    toldBytes = bytes;
                }
                if (System.nanoTime() - meter.lastNanos() > TimeUnit.SECONDS.toNanos(patienceSeconds)) {
                    throw new TestFailure(
                            what + ": nothing for " + patienceSeconds + " s after " + meter.messages() + " messages");
                }
            }
        }
    }

    /** Waits for one event of a connection. */
    <T> T await(CompletableFuture<T> event, String what) throws TestFailure, InterruptedException {
        try {
            return event.get(patienceSeconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (TimeoutException e) {
            throw new TestFailure(what + ": nothing for " + patienceSeconds + " s", e);
        }
    }

    private static TestFailure failure(ExecutionException e) {
        Throwable cause = e.getCause();
        if (cause instanceof TestFailure failure) {
            return failure;
        }
        return new TestFailure("failed: " + cause, cause == null ? e : cause);
    }
}
