package org.warpnfs.tools.bench;

import java.io.IOException;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.warpnfs.tools.bench.load.NameLoad;
import org.warpnfs.tools.bench.nfs.NameCalls;

/**
 * Measures metadata: creates files in a directory of its own, reads their attributes, lists them and removes them. Each
 * task is measured by itself.
 *
 * <p>At the end it removes the files and the directory. They stay if something fails.
 */
public final class NameBench {
    /** Limits the size of the directory to what is usual, however fast the server is. */
    private static final int MOST_NAMES = 20_000;

    private static final long REMOVE_SECONDS = 120;

    private NameBench() {}

    /**
     * The result of one task.
     *
     * @param operations files that were processed, or entries that were listed
     * @param latencies latencies of the calls in nanoseconds
     */
    public record Part(
            long operations, double seconds, Histogram latencies, ProcessCpu clientCpu, ProcessCpu serverCpu) {}

    /**
     * Runs all tasks in their order.
     *
     * @param options the options; operation, size and file are ignored, and the server's process must be given
     * @throws BenchException if anything fails
     */
    public static Map<NameLoad.Task, Part> run(BenchOptions options) throws BenchException, InterruptedException {
        try (Connections connections = new Connections(options)) {
            connections.connect();
            Connections.Connection connection = connections.all().getFirst();
            NameCalls calls = connection.session().names();
            if (connection.session().slots() < options.depth()) {
                throw new BenchException(
                        "the server takes no more than " + connection.session().slots() + " calls at once");
            }
            try {
                calls.makeDirectory("names-"
                        + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
                NameLoad load = new NameLoad(connection.requester(), calls, MOST_NAMES, options.timeout());
                Map<NameLoad.Task, Part> parts = new EnumMap<>(NameLoad.Task.class);
                for (NameLoad.Task task : NameLoad.Task.values()) {
                    parts.put(task, part(options, load, task));
                }
                calls.removeDirectory();
                return parts;
            } catch (IOException e) {
                throw new BenchException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    private static Part part(BenchOptions options, NameLoad load, NameLoad.Task task)
            throws BenchException, InterruptedException {
        long pid = options.serverPid().orElseThrow();
        ProcessCpu server = ProcessCpu.of(pid);
        ProcessCpu own = ProcessCpu.own();
        long begin = System.nanoTime();
        CompletableFuture<Void> ended = load.start(task, options.depth());
        boolean all = task == NameLoad.Task.REMOVE;
        await(
                ended,
                all
                        ? TimeUnit.SECONDS.toNanos(REMOVE_SECONDS)
                        : options.duration().toNanos());
        // Wait for at least one reply, since a slow host is not a failure.
        await(load.answered(), options.timeout().toNanos());
        load.stop();
        NameLoad.Counted counted = load.counted();
        double seconds = (System.nanoTime() - begin) / 1e9;
        Part part = new Part(
                counted.operations(),
                seconds,
                counted.latencies(),
                ProcessCpu.own().since(own),
                ProcessCpu.of(pid).since(server));
        await(ended, options.timeout().toNanos());
        if (load.counted().errors() > 0) {
            throw new BenchException(task + ": " + load.counted().firstError());
        }
        if (counted.operations() == 0) {
            throw new BenchException(task + ": no call was answered");
        }
        return part;
    }

    private static void await(CompletableFuture<Void> ended, long nanos) throws InterruptedException {
        try {
            ended.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // The time is over, as intended.
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
