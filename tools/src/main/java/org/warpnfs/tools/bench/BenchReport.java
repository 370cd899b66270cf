package org.warpnfs.tools.bench;

import com.google.errorprone.annotations.FormatMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.warpnfs.tools.bench.loopback.LoopbackExchange;

/**
 * The result of a benchmark run.
 *
 * @param server description of the server
 * @param operations number of operations that succeeded
 * @param seconds length of the measurement
 * @param errors calls that failed, including those before and after the measurement
 * @param firstError message of the first error
 * @param repeated calls that the server asked to try again later
 * @param matches verified reads that returned what was written
 * @param mismatches verified reads that returned anything else
 * @param latencies in nanoseconds
 * @param clientCpu CPU time of this process, the load generator: the cost of keeping the calls in flight
 * @param serverCpu null if no process was named
 * @param loopback null if loopback was not measured
 */
public record BenchReport(
        BenchOptions options,
        String server,
        long operations,
        double seconds,
        long errors,
        @Nullable String firstError,
        long repeated,
        long matches,
        long mismatches,
        Histogram latencies,
        ProcessCpu clientCpu,
        @Nullable ProcessCpu serverCpu,
        LoopbackExchange.@Nullable Result loopback) {
    private static final double GIB = 1 << 30;
    private static final double NANOS_PER_MICRO = 1000;

    /**
     * Whether there was no error and no mismatch. If verification was asked for but nothing was verified, the run is
     * not clean.
     */
    public boolean clean() {
        return errors == 0 && mismatches == 0 && operations > 0 && (!options.verify() || matches > 0);
    }

    private double perSecond() {
        return seconds > 0 ? operations / seconds : 0;
    }

    private double bytesPerSecond() {
        return perSecond() * options.sizeBytes();
    }

    private double gibibytes() {
        return operations * (double) options.sizeBytes() / GIB;
    }

    private double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
    }

    /** The report as lines for people. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(line(
                "%s %s over %s, %d bytes, depth %d, %d connection(s): %s",
                options.operation().name().toLowerCase(Locale.ROOT),
                options.version() == 3 ? "NFSv3" : "NFSv4.1",
                options.protocol(),
                options.sizeBytes(),
                options.depth(),
                options.connections(),
                server));
        lines.add(line(
                "throughput  %.1f MB/s, %.0f operations/s, %d operations in %.2f s",
                bytesPerSecond() / 1e6, perSecond(), operations, seconds));
        lines.add(line(
                "latency     min %.0f, mean %.0f, 50%% %.0f, 90%% %.0f, 99%% %.0f, 99.9%% %.0f, max %.0f us",
                latencies.getMinValue() / NANOS_PER_MICRO,
                latencies.getMean() / NANOS_PER_MICRO,
                micros(50),
                micros(90),
                micros(99),
                micros(99.9),
                latencies.getMaxValue() / NANOS_PER_MICRO));
        lines.add(line("errors      %d%s", errors, firstError == null ? "" : ", the first: " + firstError));
        if (repeated > 0) {
            lines.add(line("repeated    %d, because the server asked to try again later", repeated));
        }
        if (options.verify()) {
            lines.add("verified    " + verified());
        }
        ProcessCpu cpu = serverCpu;
        if (cpu != null && operations > 0) {
            lines.add(cpuLine("server CPU  ", cpu));
        }
        if (operations > 0) {
            lines.add(cpuLine("client CPU  ", clientCpu));
        }
        LoopbackExchange.Result bare = loopback;
        if (bare != null) {
            lines.add(line(
                    "loopback    %.1f MB/s, %.0f exchanges/s of the same size and depth; this is %.0f%% of it",
                    bare.perSecond() * options.sizeBytes() / 1e6,
                    bare.perSecond(),
                    100 * perSecond() / bare.perSecond()));
        }
        return lines;
    }

    private String cpuLine(String label, ProcessCpu cpu) {
        return line(
                "%s%.2f s user, %.2f s system, %.3f s/GiB, %.1f us/operation",
                label,
                cpu.userSeconds(),
                cpu.systemSeconds(),
                cpu.seconds() / gibibytes(),
                cpu.seconds() * 1e6 / operations);
    }

    /** The result of the verification. It speaks only of data that were compared. */
    private String verified() {
        if (mismatches > 0) {
            return line("%d MISMATCHES among %d reads", mismatches, matches + mismatches);
        }
        if (matches == 0) {
            return "NOTHING: no read came back";
        }
        return errors == 0
                ? line("what is read is what was written, in %d reads", matches)
                : line("%d reads brought what was written; what failed was not checked", matches);
    }

    @FormatMethod
    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** The report as one JSON object. */
    public String json() {
        Json json = new Json()
                .text("target", options.server().getHostString())
                .number("port", options.server().getPort())
                .text("proto", options.protocol().name().toLowerCase(Locale.ROOT))
                .text("vers", options.version() == 3 ? "3" : "4.1")
                .text("op", options.operation().name().toLowerCase(Locale.ROOT))
                .number("size_bytes", options.sizeBytes())
                .number("depth", options.depth())
                .number("connections", options.connections())
                .flag("crc", options.crc())
                .number("seconds", seconds)
                .number("operations", operations)
                .number("operations_per_second", perSecond())
                .number("bytes_per_second", bytesPerSecond())
                .object("latency_us", latencyJson())
                .number("errors", errors)
                .number("repeated", repeated);
        String first = firstError;
        if (first != null) {
            json.text("first_error", first);
        }
        if (options.verify()) {
            json.number("matches", matches).number("mismatches", mismatches);
        }
        ProcessCpu cpu = serverCpu;
        if (cpu != null && operations > 0) {
            json.object("server_cpu", cpuJson(cpu));
        }
        if (operations > 0) {
            json.object("client_cpu", cpuJson(clientCpu));
        }
        LoopbackExchange.Result bare = loopback;
        if (bare != null) {
            json.object(
                    "loopback",
                    new Json()
                            .number("exchanges_per_second", bare.perSecond())
                            .number("bytes_per_second", bare.perSecond() * options.sizeBytes())
                            .number("ratio", perSecond() / bare.perSecond()));
        }
        return json.toString();
    }

    private Json cpuJson(ProcessCpu cpu) {
        return new Json()
                .number("user_seconds", cpu.userSeconds())
                .number("system_seconds", cpu.systemSeconds())
                .number("seconds_per_gib", cpu.seconds() / gibibytes())
                .number("us_per_operation", cpu.seconds() * 1e6 / operations);
    }

    private Json latencyJson() {
        return new Json()
                .number("min", latencies.getMinValue() / NANOS_PER_MICRO)
                .number("mean", latencies.getMean() / NANOS_PER_MICRO)
                .number("p50", micros(50))
                .number("p90", micros(90))
                .number("p99", micros(99))
                .number("p999", micros(99.9))
                .number("max", latencies.getMaxValue() / NANOS_PER_MICRO);
    }
}
