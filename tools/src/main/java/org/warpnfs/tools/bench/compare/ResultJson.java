package org.warpnfs.tools.bench.compare;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.tools.bench.Json;

/** The results as JSON: the figures of every round, their medians, the goals, and what is missing. */
final class ResultJson {
    private ResultJson() {}

    static String of(Results results) {
        CompareOptions options = results.plan().options();
        Json host = new Json()
                .text("kernel", System.getProperty("os.version"))
                .number("processors", Runtime.getRuntime().availableProcessors())
                .text("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        List<Json> rows = new ArrayList<>();
        for (Row.Group group : results.plan().groups()) {
            results.measured(group).forEach(row -> rows.add(row(results, row)));
        }
        List<Json> failures = new ArrayList<>();
        results.failures()
                .forEach((row, why) ->
                        failures.add(new Json().text("row", row.title()).text("why", why)));
        return new Json()
                        .object("host", host)
                        .number("rounds", options.rounds())
                        .number("seconds", options.duration().toMillis() / 1e3)
                        .number("warmup_seconds", options.warmUp().toMillis() / 1e3)
                        .array("rows", rows)
                        .array(
                                "goals",
                                Goal.reached(results).stream()
                                        .map(ResultJson::goal)
                                        .toList())
                        .texts("missing", results.missing())
                        .array("failures", failures)
                + "\n";
    }

    private static Json row(Results results, Row row) {
        Json json = new Json()
                .text("work", row.work().word())
                .number("depth", row.depth())
                .text("files", row.tree().word())
                .number("uid", row.uid())
                .text("competitor", row.competitor().kind().title())
                .text("server", row.competitor().kind().word());
        if (!row.competitor().kind().bare()) {
            json.text("vers", row.competitor().versionText());
        }
        for (Figure figure : ResultTable.figures(row.work())) {
            results.spread(row, figure).ifPresent(spread -> json.object(figure.key(), spread(spread)));
        }
        return json.array(
                "rounds", results.samples(row).stream().map(ResultJson::sample).toList());
    }

    private static Json spread(Spread spread) {
        return new Json()
                .number("median", spread.median())
                .number("min", spread.min())
                .number("max", spread.max());
    }

    private static Json sample(Sample sample) {
        return new Json()
                .number("operations", sample.operations())
                .number("seconds", sample.seconds())
                .number("p50_us", sample.p50Micros())
                .number("p99_us", sample.p99Micros())
                .number("p999_us", sample.p999Micros())
                .number("server_cpu_seconds", sample.serverSeconds())
                .number("client_cpu_seconds", sample.clientSeconds());
    }

    private static Json goal(Goal.Reached reached) {
        Goal goal = reached.goal();
        return new Json()
                .text("what", reached.title())
                .text("figure", goal.figure().key())
                .object("ratio", spread(reached.ratio()))
                .text("bound", goal.bound() == Goal.Bound.AT_MOST ? "at most" : "at least")
                .number("goal", goal.limit())
                .flag("met", reached.met());
    }
}
