package org.warpnfs.tools.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.warpnfs.tools.bench.load.Load;
import org.warpnfs.tools.bench.load.Offsets;
import org.warpnfs.tools.bench.load.Pattern;
import org.warpnfs.tools.bench.load.Transfer;
import org.warpnfs.tools.bench.loopback.LoopbackExchange;

/**
 * One run of the benchmark. It creates a file, fills the file if it will be read, measures, verifies, and removes the
 * file.
 *
 * <p>The caller gets one line of progress a second. The file is also removed if the run fails.
 */
public final class Bench {
    private static final Duration LOOPBACK_LIMIT = Duration.ofSeconds(3);
    private static final Duration LOOPBACK_WITH_COUNT = Duration.ofMillis(200);
    private static final int SMALL_MESSAGE_BYTES = 192;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final BenchOptions options;
    private final Consumer<String> progress;
    private final Pattern before = new Pattern(1);
    private final Pattern after = new Pattern(2);
    private long errors;
    private long repeated;
    private long matches;
    private long mismatches;
    private @Nullable String firstError;

    private Bench(BenchOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs the benchmark.
     *
     * @param progress receives the lines of progress
     * @throws BenchException if nothing can be measured
     */
    public static BenchReport run(BenchOptions options, Consumer<String> progress)
            throws BenchException, InterruptedException {
        return new Bench(options, progress).run();
    }

    private BenchReport run() throws BenchException, InterruptedException {
        if (options.serverPid().isPresent()) {
            ProcessCpu.of(options.serverPid().getAsLong());
        }
        LoopbackExchange.Result loopback = options.loopback() ? loopback() : null;
        try (Connections connections = new Connections(options)) {
            Thread removal = new Thread(connections::finish, "bench-removal");
            Runtime.getRuntime().addShutdownHook(removal);
            try {
                connections.open();
                return measure(connections, loopback);
            } finally {
                connections.finish().forEach(progress);
                removeHook(removal);
            }
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The virtual machine is shutting down. The hook has run already or waits for this thread.
        }
    }

    private LoopbackExchange.Result loopback() throws BenchException {
        progress.accept("measuring bare loopback");
        boolean writes = options.operation().writes();
        int request = SMALL_MESSAGE_BYTES + (writes ? options.sizeBytes() : 0);
        int reply = SMALL_MESSAGE_BYTES + (writes ? 0 : options.sizeBytes());
        Duration duration = options.count().isPresent()
                ? LOOPBACK_WITH_COUNT
                : options.duration().compareTo(LOOPBACK_LIMIT) < 0 ? options.duration() : LOOPBACK_LIMIT;
        try {
            return new LoopbackExchange(request, reply, options.depth() * options.connections()).run(duration);
        } catch (IOException | UnsupportedOperationException e) {
            throw new BenchException("--loopback: " + e.getMessage(), e);
        }
    }

    private BenchReport measure(Connections connections, LoopbackExchange.@Nullable Result loopback)
            throws BenchException, InterruptedException {
        boolean fills = !options.operation().writes() || options.operation().random();
        if (fills) {
            progress.accept("filling " + options.blocks() * options.sizeBytes() + " bytes");
            once(connections, new Transfer(true, false, options.sizeBytes(), before, options.timeout()));
            commit(connections);
        }
        Pattern pattern = options.verify() ? (options.operation().writes() ? after : before) : null;
        Transfer transfer = new Transfer(
                options.operation().writes(), options.stable(), options.sizeBytes(), pattern, options.timeout());
        List<Load> loads = loads(connections, transfer);
        ProcessCpu cpuBefore = null;
        ProcessCpu ownBefore = ProcessCpu.own();
        long begin = System.nanoTime();
        CompletableFuture<Void> ended = start(connections, loads);
        if (options.count().isEmpty() && !options.warmUp().isZero()) {
            watch(ended, loads, options.warmUp(), "warming up");
            loads.forEach(Load::takeCounters);
            begin = System.nanoTime();
            ownBefore = ProcessCpu.own();
        }
        if (options.serverPid().isPresent()) {
            cpuBefore = ProcessCpu.of(options.serverPid().getAsLong());
        }
        watch(ended, loads, options.count().isPresent() ? Duration.ofDays(1) : options.duration(), "");
        List<Load.Counters> counters = new ArrayList<>();
        loads.forEach(load -> counters.add(load.takeCounters()));
        double seconds = (System.nanoTime() - begin) / 1e9;
        ProcessCpu cpu = cpuBefore == null ? null : usedSince(cpuBefore);
        ProcessCpu own = ProcessCpu.own().since(ownBefore);
        loads.forEach(Load::stop);
        join(ended);
        loads.forEach(load -> note(load.counters()));
        finishWrites(connections, loads, fills);
        return report(connections, counters, seconds, own, cpu, loopback);
    }

    /** Returns null if the process has ended. The report is then made without its CPU time. */
    private @Nullable ProcessCpu usedSince(ProcessCpu before) {
        try {
            return ProcessCpu.of(options.serverPid().orElseThrow()).since(before);
        } catch (BenchException e) {
            progress.accept(e.getMessage() + " any more");
            return null;
        }
    }

    private BenchReport report(
            Connections connections,
            List<Load.Counters> counters,
            double seconds,
            ProcessCpu own,
            @Nullable ProcessCpu cpu,
            LoopbackExchange.@Nullable Result loopback) {
        Histogram latencies = new Histogram(3);
        long operations = 0;
        for (Load.Counters counted : counters) {
            latencies.add(counted.latencies());
            operations += counted.operations();
        }
        return new BenchReport(
                options,
                connections.first().describe(),
                operations,
                seconds,
                errors,
                firstError,
                repeated,
                matches,
                mismatches,
                latencies,
                own,
                cpu,
                loopback);
    }

    private List<Load> loads(Connections connections, Transfer transfer) {
        List<Load> loads = new ArrayList<>();
        int number = connections.all().size();
        long share = Math.max(1, options.blocks() / number);
        for (int i = 0; i < number; i++) {
            Offsets offsets = options.operation().random()
                    ? Offsets.random(System.nanoTime(), options.blocks(), options.sizeBytes())
                    : Offsets.around(i * share % options.blocks(), share, options.sizeBytes());
            if (options.count().isPresent()) {
                long count = options.count().getAsLong();
                offsets = Offsets.limited(offsets, count / number + (i < count % number ? 1 : 0));
            }
            Connections.Connection connection = connections.all().get(i);
            loads.add(new Load(connection.requester(), connection.session(), transfer, offsets));
        }
        return loads;
    }

    private CompletableFuture<Void> start(Connections connections, List<Load> loads) {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < loads.size(); i++) {
            int slots = connections.all().get(i).session().slots();
            if (slots < options.depth()) {
                progress.accept("the server takes " + slots + " calls at once: depth is " + slots);
            }
            ends.add(loads.get(i).start(options.depth()));
        }
        return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
    }

    /** Waits for the end of the loads and gives a line of progress each second. */
    private void watch(CompletableFuture<Void> ended, List<Load> loads, Duration duration, String what)
            throws InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        long last = System.nanoTime();
        long seen = operations(loads);
        while (!ended.isDone() && System.nanoTime() < end) {
            try {
                ended.get(Math.max(1, Math.min(end - System.nanoTime(), SECOND)), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                long now = System.nanoTime();
                long operations = operations(loads);
                double rate = (operations - seen) * 1e9 / (now - last);
                progress.accept(String.format(
                                Locale.ROOT,
                                "%.1f MB/s, %.0f operations/s %s",
                                rate * options.sizeBytes() / 1e6,
                                rate,
                                what)
                        .strip());
                last = now;
                seen = operations;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static long operations(List<Load> loads) {
        return loads.stream().mapToLong(Load::operations).sum();
    }

    private static void join(CompletableFuture<Void> ended) throws InterruptedException {
        try {
            ended.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void note(Load.Counters counters) {
        errors += counters.errors();
        repeated += counters.repeated();
        matches += counters.matches();
        mismatches += counters.mismatches();
        if (firstError == null) {
            firstError = counters.firstError();
        }
    }

    /** Transfers each block once. All connections share the blocks. */
    private void once(Connections connections, Transfer transfer) throws BenchException, InterruptedException {
        List<Load> loads = new ArrayList<>();
        int number = connections.all().size();
        for (int i = 0; i < number; i++) {
            Connections.Connection connection = connections.all().get(i);
            long first = options.blocks() * i / number;
            long next = options.blocks() * (i + 1) / number;
            loads.add(new Load(
                    connection.requester(),
                    connection.session(),
                    transfer,
                    Offsets.once(first, next - first, options.sizeBytes())));
        }
        join(start(connections, loads));
        loads.forEach(load -> note(load.counters()));
        if (errors > 0) {
            throw new BenchException("the file cannot be filled: " + firstError);
        }
    }

    private void commit(Connections connections) throws BenchException {
        try {
            for (Connections.Connection connection : connections.all()) {
                connection.session().commit();
            }
        } catch (IOException e) {
            throw new BenchException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Commits the writes. If verification is on, reads the file back: written blocks must hold the new data, and all
     * other blocks must be unchanged.
     */
    private void finishWrites(Connections connections, List<Load> loads, boolean filled)
            throws BenchException, InterruptedException {
        if (!options.operation().writes()) {
            return;
        }
        if (!options.stable()) {
            commit(connections);
        }
        if (!options.verify()) {
            return;
        }
        progress.accept("reading back");
        BitSet written = new BitSet();
        loads.forEach(load -> written.or(load.blocks()));
        readBack(connections, after, written);
        if (filled) {
            BitSet untouched = new BitSet();
            untouched.set(0, (int) options.blocks());
            untouched.andNot(written);
            readBack(connections, before, untouched);
        }
    }

    private void readBack(Connections connections, Pattern pattern, BitSet blocks) throws InterruptedException {
        int[] next = new int[1];
        Offsets offsets = () -> {
            int block = blocks.nextSetBit(next[0]);
            next[0] = block < 0 ? blocks.length() : block + 1;
            return block < 0 ? Offsets.END : (long) block * options.sizeBytes();
        };
        Transfer transfer = new Transfer(false, false, options.sizeBytes(), pattern, options.timeout());
        Connections.Connection connection = connections.all().getFirst();
        Load load = new Load(connection.requester(), connection.session(), transfer, offsets);
        join(load.start(options.depth()));
        note(load.counters());
    }
}
