package org.warpnfs.server.log;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lines on their way to the log. Whoever logs does not wait for the log's reader, which may be a pipe that nobody reads
 * or a slow disk.
 *
 * <h2>Operation</h2>
 *
 * One daemon thread writes the lines in order. A line for which there is no room is dropped and counted: WARN finds
 * room when lines of lower levels find none any more, and ERROR when WARN finds none. How many were dropped is said in
 * one line once all that waited is written, or ten seconds later if there are always more.
 *
 * <h2>Buffers</h2>
 *
 * At most {@link #MAX_BYTES} wait, with what Java adds to each line.
 *
 * <h2>Errors</h2>
 *
 * A line that cannot be written is lost. Safe for any thread.
 */
final class LogQueue {
    static final long MAX_BYTES = 1 << 20;
    /** What Java adds to a line: its array's header, and its place in the queue. */
    private static final int LINE_BYTES = 32;

    private static final long NOTICE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final OutputStream out;
    private final LongFunction<byte[]> notice;

    // Under this object's lock, in which nothing is written.
    private final Deque<byte[]> lines = new ArrayDeque<>();
    private long waitingBytes;
    private boolean writing;
    private long dropped;
    private long said;
    private long firstUnsaidNanos;

    /**
     * Starts the thread that writes.
     *
     * @param notice makes the line that says how many lines were dropped
     */
    LogQueue(OutputStream out, LongFunction<byte[]> notice) {
        this.out = out;
        this.notice = notice;
        Thread.ofPlatform().daemon().name("log").start(this::run);
    }

    /** Adds a line with its end, or drops it. */
    synchronized void add(byte[] line, Level level) {
        long bytes = (long) line.length + LINE_BYTES;
        if (waitingBytes + bytes > room(level)) {
            if (dropped++ == said) {
                firstUnsaidNanos = System.nanoTime();
            }
            return;
        }
        lines.add(line);
        waitingBytes += bytes;
        notifyAll();
    }

    private static long room(Level level) {
        if (level.isGreaterOrEqual(Level.ERROR)) {
            return MAX_BYTES;
        }
        return level.isGreaterOrEqual(Level.WARN) ? MAX_BYTES / 4 * 3 : MAX_BYTES / 2;
    }

    /** Returns how many lines were dropped since the start. */
    synchronized long dropped() {
        return dropped;
    }

    /** Returns how many bytes wait, with what Java adds. */
    synchronized long waitingBytes() {
        return waitingBytes;
    }

    /**
     * Waits until all lines are written, or the time is up.
     *
     * @return false if the time is up
     */
    synchronized boolean awaitWritten(Duration limit) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + limit.toNanos();
        while (writing || !lines.isEmpty() || dropped != said) {
            long leftNanos = deadlineNanos - System.nanoTime();
            if (leftNanos <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
        }
        return true;
    }

    private void run() {
        try {
            while (true) {
                write(next());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param line null for the one that says how many were dropped */
    private void write(byte @Nullable [] line) {
        try {
            out.write(line == null ? notice.apply(unsaid()) : line);
            out.flush();
        } catch (IOException | RuntimeException | Error e) {
            // There is no other place to say so, and the next line may be written.
        }
    }

    /** Returns the next line; null if it is the one that says how many were dropped. */
    private synchronized byte @Nullable [] next() throws InterruptedException {
        writing = false;
        notifyAll();
        while (true) {
            if (dropped != said && (lines.isEmpty() || System.nanoTime() - firstUnsaidNanos >= NOTICE_NANOS)) {
                writing = true;
                return null;
            }
            byte[] line = lines.poll();
            if (line != null) {
                waitingBytes -= line.length + LINE_BYTES;
                writing = true;
                return line;
            }
            wait();
        }
    }

    private synchronized long unsaid() {
        long count = dropped - said;
        said = dropped;
        return count;
    }
}
