package org.warpnfs.tools.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
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
 * Measures metadata: {@link #run} creates files in a directory of its own, reads their attributes, lists them and
 * removes them, and measures each task by itself. {@link #change} creates and removes files as one task, and
 * {@link #list} lists a directory that exists.
 *
 * <p>At the end it removes the files and the directory that it made. They stay if something fails.
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

    /** The tasks of {@link #run}, in their order. */
    public static final List<NameLoad.Task> IN_TURN = Arrays.stream(NameLoad.Task.values())
            .filter(task -> task != NameLoad.Task.CHANGE)
            .toList();

    /**
     * Runs the tasks {@link #IN_TURN}.
     *
     * @param options the options; operation, size and file are ignored, and the server's process must be given
     * @throws BenchException if anything fails
     */
    public static Map<NameLoad.Task, Part> run(BenchOptions options) throws BenchException, InterruptedException {
        return inNewDirectory(options, load -> {
            Map<NameLoad.Task, Part> parts = new EnumMap<>(NameLoad.Task.class);
            for (NameLoad.Task task : IN_TURN) {
                parts.put(task, part(options, load, task));
            }
            return parts;
        });
    }

    /** Creates and removes files, after the warm-up. Otherwise the options are those of {@link #run}. */
    public static Part change(BenchOptions options) throws BenchException, InterruptedException {
        return inNewDirectory(options, load -> warmed(options, load, NameLoad.Task.CHANGE));
    }

    /**
     * Lists a directory from its beginning to its end, again and again. The options are those of {@link #change}.
     *
     * @param directory its name in the export
     */
    public static Part list(BenchOptions options, String directory, NameCalls.Listing listing)
            throws BenchException, InterruptedException {
        return connected(options, listing, (calls, load) -> {
            calls.useDirectory(directory);
            return warmed(options, load, NameLoad.Task.READDIR);
        });
    }

    private static Part warmed(BenchOptions options, NameLoad load, NameLoad.Task task)
            throws BenchException, InterruptedException {
        if (!options.warmUp().isZero()) {
            part(options, options.warmUp(), load, task);
        }
        return part(options, load, task);
    }

    private interface Loading<T> {
        T use(NameLoad load) throws BenchException, InterruptedException;
    }

    private interface Calling<T> {
        T use(NameCalls calls, NameLoad load) throws IOException, BenchException, InterruptedException;
    }

    private static <T> T inNewDirectory(BenchOptions options, Loading<T> loading)
            throws BenchException, InterruptedException {
        return connected(options, NameCalls.Listing.NAMES, (calls, load) -> {
            calls.makeDirectory("names-"
                    + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
            T result = loading.use(load);
            calls.removeDirectory();
            return result;
        });
    }

    private static <T> T connected(BenchOptions options, NameCalls.Listing listing, Calling<T> calling)
            throws BenchException, InterruptedException {
        try (Connections connections = new Connections(options)) {
            connections.connect();
            Connections.Connection connection = connections.all().getFirst();
            NameCalls calls = connection.session().names();
            if (connection.session().slots() < options.depth()) {
                throw new BenchException(
                        "the server takes no more than " + connection.session().slots() + " calls at once");
            }
            try {
                return calling.use(
                        calls, new NameLoad(connection.requester(), calls, listing, MOST_NAMES, options.timeout()));
            } catch (IOException e) {
                throw new BenchException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    private static Part part(BenchOptions options, NameLoad load, NameLoad.Task task)
            throws BenchException, InterruptedException {
        return part(options, options.duration(), load, task);
    }

    private static Part part(BenchOptions options, Duration duration, NameLoad load, NameLoad.Task task)
            throws BenchException, InterruptedException {
        long pid = options.serverPid().orElseThrow();
        ProcessCpu server = ProcessCpu.of(pid);
        ProcessCpu own = ProcessCpu.own();
        long begin = System.nanoTime();
        CompletableFuture<Void> ended = load.start(task, options.depth());
        boolean all = task == NameLoad.Task.REMOVE;
        await(ended, all ? TimeUnit.SECONDS.toNanos(REMOVE_SECONDS) : duration.toNanos());
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
