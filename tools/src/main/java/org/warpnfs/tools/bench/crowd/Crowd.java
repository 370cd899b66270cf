package org.warpnfs.tools.bench.crowd;

import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.load.Pattern;

/**
 * Runs many connections to one server. Each has a file of its own and one call in flight.
 *
 * <h2>Operation</h2>
 *
 * Each connection writes, commits, reads, and asks for attributes and names, in random order. It verifies all replies.
 * The time starts when all connections are open. At its end each connection commits, reads back every block that it
 * ever wrote, and removes its file.
 *
 * <h2>Errors</h2>
 *
 * A connection that fails is counted and ends. The others go on. A call is repeated only if the server asks for it. If
 * a connection is lost, its requester reconnects. If the requester gives up, that is an error.
 */
public final class Crowd {
    private final CrowdOptions options;
    private final Consumer<String> progress;
    private final Pattern pattern = new Pattern(3);
    private final Tally tally = new Tally();
    private final String fileName = ".warpnfs-crowd-"
            + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) + "-";
    private final Semaphore opening;
    private final CountDownLatch opened;
    private volatile long endNanos;
    private volatile boolean timeRuns;

    private Crowd(CrowdOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        this.opening = new Semaphore(options.opening());
        this.opened = new CountDownLatch(options.connections());
    }

    /**
     * Runs the crowd.
     *
     * @param progress receives a line about once a second
     * @throws BenchException if the export cannot be mounted
     */
    public static CrowdReport run(CrowdOptions options, Consumer<String> progress)
            throws BenchException, InterruptedException {
        return new Crowd(options, progress).run();
    }

    private CrowdReport run() throws BenchException, InterruptedException {
        try (CrowdConnections connections = new CrowdConnections(options);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            byte[] root = connections.root();
            for (int number = 0; number < options.connections(); number++) {
                int mine = number;
                threads.execute(() -> live(mine, connections, root));
            }
            while (!opened.await(1, TimeUnit.SECONDS)) {
                progress.accept((options.connections() - opened.getCount()) + " connections opened, " + tally.errors()
                        + " failed");
            }
            long begin = System.nanoTime();
            endNanos = begin + options.duration().toNanos();
            timeRuns = true;
            threads.shutdown();
            long seen = tally.calls();
            while (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                long now = tally.calls();
                progress.accept((now - seen) + " calls/s, " + tally.errors() + " errors");
                seen = now;
            }
            return tally.report(options.connections(), (System.nanoTime() - begin) / 1e9);
        }
    }

    private boolean goesOn() {
        return !timeRuns || System.nanoTime() - endNanos < 0;
    }

    private void live(int number, CrowdConnections connections, byte[] root) {
        boolean counted = false;
        try {
            opening.acquire();
            Member member;
            try {
                member = connections.member(number, fileName + number, root, pattern, tally);
                member.begin();
            } finally {
                opening.release();
            }
            opened.countDown();
            counted = true;
            // A connection counts as served if a call is answered while all connections are open.
            opened.await();
            member.step();
            tally.served.incrementAndGet();
            while (goesOn()) {
                Member.pause(options.pause());
                member.step();
            }
            member.end();
        } catch (IOException | RuntimeException e) {
            tally.failed("connection " + number + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            tally.failed("connection " + number + " was interrupted");
        } finally {
            if (!counted) {
                opened.countDown();
            }
        }
    }
}
