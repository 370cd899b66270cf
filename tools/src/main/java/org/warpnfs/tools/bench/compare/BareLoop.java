package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.warpnfs.tools.bench.BenchException;

/**
 * Compiles and runs the bare loops. Their source is the resource {@code bare.c} beside this class.
 *
 * <p>The loops are in C rather than in Java with foreign calls. A server is compared with them, so they must be as
 * close to the system calls as possible. They must not depend on a just-in-time compiler.
 */
final class BareLoop {
    private static final int COMPILE_SECONDS = 60;
    private static final int AROUND_SECONDS = 60;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Path program;

    private BareLoop(Path program) {
        this.program = program;
    }

    /** @throws BenchException if there is no compiler, or it fails */
    static BareLoop compile(Path directory) throws BenchException, InterruptedException {
        Path source = directory.resolve("bare.c");
        Path program = directory.resolve("bare");
        try (InputStream in = BareLoop.class.getResourceAsStream("bare.c")) {
            if (in == null) {
                throw new BenchException("bare.c is not in the jar");
            }
            Files.copy(in, source);
        } catch (IOException e) {
            throw new BenchException(source + ": " + e.getMessage(), e);
        }
        Programs.run(COMPILE_SECONDS, "cc", "-O2", "-o", program.toString(), source.toString());
        return new BareLoop(program);
    }

    /** Measures one loop on a file of its own in that directory, and then removes the file. */
    Sample measure(Row row, Path directory, Duration warmUp, Duration duration)
            throws BenchException, InterruptedException {
        String said = Programs.run(
                (int) warmUp.plus(duration).toSeconds() + AROUND_SECONDS,
                program.toString(),
                row.competitor().kind().loop(),
                directory.resolve("bare.data").toString(),
                Integer.toString(row.work().fileBytes()),
                Integer.toString(row.work().sizeBytes()),
                Integer.toString(row.depth()),
                Long.toString(warmUp.toMillis()),
                Long.toString(duration.toMillis()),
                row.work().operation().random() ? "random" : "ordered");
        return parse(said);
    }

    /** Parses the program's output. Each line has a name and a number. */
    static Sample parse(String said) throws BenchException {
        Map<String, Long> figures = new HashMap<>();
        for (String line : said.lines().toList()) {
            int blank = line.indexOf(' ');
            try {
                figures.put(line.substring(0, Math.max(0, blank)), Long.parseLong(line.substring(blank + 1)));
            } catch (NumberFormatException e) {
                throw new BenchException("the bare loop said: " + line, e);
            }
        }
        Sample sample = new Sample(
                figure(figures, "operations"),
                figure(figures, "nanos") / NANOS_PER_SECOND,
                figure(figures, "p50_nanos") / NANOS_PER_MICRO,
                figure(figures, "p99_nanos") / NANOS_PER_MICRO,
                figure(figures, "p999_nanos") / NANOS_PER_MICRO,
                figure(figures, "server_cpu_nanos") / NANOS_PER_SECOND,
                figure(figures, "client_cpu_nanos") / NANOS_PER_SECOND);
        if (sample.operations() <= 0 || sample.seconds() <= 0) {
            throw new BenchException("the bare loop did nothing");
        }
        return sample;
    }

    private static long figure(Map<String, Long> figures, String name) throws BenchException {
        Long figure = figures.get(name);
        if (figure == null) {
            throw new BenchException("the bare loop did not say its " + name);
        }
        return figure;
    }
}
