package org.warpnfs.tools.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.warpnfs.tools.bench.Json;
import org.warpnfs.tools.bench.compare.ResultTable;
import org.warpnfs.tools.bench.compare.Spread;
import org.warpnfs.tools.bench.scale.ScaleResults.BesideRow;
import org.warpnfs.tools.bench.scale.ScaleResults.MemoryRow;
import org.warpnfs.tools.bench.scale.ScaleResults.SeveralRow;
import org.warpnfs.tools.bench.scale.ScaleResults.Work;

/** The results as tables and as JSON. */
final class ScaleReport {
    private static final double KIB = 1024;
    private static final double MIB = 1 << 20;
    private static final double READ_MEGABYTES = (1 << 20) / 1e6;
    private static final double READS_PER_GIB = 1024;

    private ScaleReport() {}

    static List<String> lines(ScaleOptions options, ScaleResults results) {
        List<String> lines = new ArrayList<>();
        if (!results.memory.isEmpty()) {
            lines.addAll(ResultTable.aligned(memory(options, results)));
            lines.add("");
        }
        if (!results.beside.isEmpty()) {
            lines.addAll(ResultTable.aligned(beside(options, results)));
            lines.add("");
        }
        if (!results.several.isEmpty()) {
            lines.addAll(ResultTable.aligned(several(options, results)));
            lines.add("");
        }
        return lines;
    }

    private static List<List<String>> memory(ScaleOptions options, ScaleResults results) {
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(
                "Memory of the server, " + options.versionText(),
                "resident MiB",
                "idle: KiB each",
                "heap",
                "direct",
                "active: KiB each",
                "heap",
                "direct",
                "operations/s",
                "50% us",
                "99% us"));
        for (MemoryRow row : results.memory) {
            List<String> line = new ArrayList<>(List.of(
                    "  " + row.protocol() + ", " + row.connections() + " connections",
                    String.format(
                            Locale.ROOT,
                            "%.0f, %.0f, %.0f",
                            row.before().resident() / MIB,
                            row.idle().resident() / MIB,
                            row.active().resident() / MIB)));
            for (ServerMemory memory : List.of(row.idle(), row.active())) {
                line.add(kib(each(row, memory, ServerMemory::resident)));
                line.add(kib(each(row, memory, ServerMemory::heap)));
                line.add(kib(each(row, memory, ServerMemory::direct)));
            }
            line.add(Spread.number(row.work().perSecond()));
            line.add(Spread.number(row.work().p50Micros()));
            line.add(Spread.number(row.work().p99Micros()));
            cells.add(line);
        }
        return cells;
    }

    private static String kib(double bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / KIB);
    }

    /** What a connection adds to the server without connections, in bytes. */
    private static double each(MemoryRow row, ServerMemory memory, ToDoubleFunction<ServerMemory> part) {
        return (part.applyAsDouble(memory) - part.applyAsDouble(row.before())) / row.connections();
    }

    private static List<List<String>> beside(ScaleOptions options, ScaleResults results) {
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(
                "One active connection, READ 4 KiB, " + options.versionText(),
                "operations/s",
                "50% us",
                "99% us",
                "server CPU us"));
        for (BesideRow row : results.beside) {
            String what = "  " + row.protocol() + ", depth " + row.depth();
            cells.add(figures(what + ", alone", row.alone()));
            cells.add(figures(what + ", beside " + row.idle() + " idle ones", row.beside()));
            cells.add(List.of(
                    what + ", beside / alone",
                    ratio(row, Work::perSecond).text(),
                    ratio(row, Work::p50Micros).text(),
                    ratio(row, Work::p99Micros).text(),
                    ratio(row, Work::serverMicros).text()));
        }
        return cells;
    }

    private static List<String> figures(String title, List<Work> works) {
        return List.of(
                title,
                spread(works, Work::perSecond).text(),
                spread(works, Work::p50Micros).text(),
                spread(works, Work::p99Micros).text(),
                spread(works, Work::serverMicros).text());
    }

    private static Spread spread(List<Work> works, ToDoubleFunction<Work> figure) {
        return Spread.of(works.stream().mapToDouble(figure).boxed().toList());
    }

    /** The ratio within each round. */
    private static Spread ratio(BesideRow row, ToDoubleFunction<Work> figure) {
        return Spread.of(IntStream.range(0, row.alone().size())
                .mapToObj(i -> figure.applyAsDouble(row.beside().get(i))
                        / figure.applyAsDouble(row.alone().get(i)))
                .toList());
    }

    private static List<List<String>> several(ScaleOptions options, ScaleResults results) {
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(
                "READ 1 MiB, depth 8 on each connection, " + options.versionText(), "MB/s", "server CPU s/GiB"));
        for (SeveralRow row : results.several) {
            cells.add(List.of(
                    "  " + row.protocol() + ", " + row.connections() + " connections",
                    spread(row.rounds(), ScaleReport::megabytes).text(),
                    spread(row.rounds(), ScaleReport::serverPerGib).text()));
        }
        return cells;
    }

    private static double megabytes(Work work) {
        return work.perSecond() * READ_MEGABYTES;
    }

    private static double serverPerGib(Work work) {
        return work.serverSeconds() / Math.max(1, work.operations()) * READS_PER_GIB;
    }

    static String json(ScaleOptions options, ScaleResults results) {
        Json host = new Json()
                .text("kernel", System.getProperty("os.version"))
                .number("processors", Runtime.getRuntime().availableProcessors())
                .text("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        return new Json()
                        .object("host", host)
                        .text("vers", options.version() == 3 ? "3" : "4.1")
                        .number("rounds", options.rounds())
                        .number("seconds", options.duration().toMillis() / 1e3)
                        .array(
                                "memory",
                                results.memory.stream()
                                        .map(row -> new Json()
                                                .text(
                                                        "transport",
                                                        row.protocol().toString())
                                                .number("connections", row.connections())
                                                .object("before", memory(row.before()))
                                                .object("idle", memory(row.idle()))
                                                .object("active", memory(row.active()))
                                                .object("work", work(row.work())))
                                        .toList())
                        .array(
                                "beside",
                                results.beside.stream()
                                        .map(row -> new Json()
                                                .text(
                                                        "transport",
                                                        row.protocol().toString())
                                                .number("depth", row.depth())
                                                .number("idle", row.idle())
                                                .array("alone", works(row.alone()))
                                                .array("beside", works(row.beside())))
                                        .toList())
                        .array(
                                "several",
                                results.several.stream()
                                        .map(row -> new Json()
                                                .text(
                                                        "transport",
                                                        row.protocol().toString())
                                                .number("connections", row.connections())
                                                .array("rounds", works(row.rounds())))
                                        .toList())
                + "\n";
    }

    private static Json memory(ServerMemory memory) {
        return new Json()
                .number("resident_bytes", memory.resident())
                .number("heap_bytes", memory.heap())
                .number("direct_bytes", memory.direct());
    }

    private static List<Json> works(List<Work> works) {
        return works.stream().map(ScaleReport::work).toList();
    }

    private static Json work(Work work) {
        return new Json()
                .number("operations", work.operations())
                .number("seconds", work.seconds())
                .number("p50_us", work.p50Micros())
                .number("p99_us", work.p99Micros())
                .number("server_cpu_seconds", work.serverSeconds());
    }
}
