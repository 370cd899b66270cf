package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.WarpServer;
import org.warpnfs.testkit.NamedTests;

/** Compares the table of metrics with the server's counters, and docs/metrics.md with the table. */
class MetricsPageTest {
    /** Returns the row of a metric as docs/metrics.md has it. */
    private static String row(Metric metric) {
        String labels = metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
        return "| `" + metric.name() + "` | " + metric.type().name().toLowerCase(Locale.ROOT) + " | "
                + unit(metric.name()) + " | " + labels + " | " + metric.help() + " |";
    }

    private static String unit(String name) {
        String bare = name.replaceFirst("_(total|max)$", "");
        return bare.endsWith("_bytes") ? "bytes" : bare.endsWith("_seconds") ? "seconds" : "";
    }

    @Test
    void page_hasEveryMetricAndNoOther() {
        List<String> rows = NamedTests.read("docs", "metrics.md")
                .lines()
                .filter(line -> line.startsWith("| `"))
                .toList();
        assertThat(rows)
                .containsExactlyElementsOf(
                        MetricTable.all().stream().map(MetricsPageTest::row).toList());
    }

    @Test
    void names_areThoseOfPrometheus() {
        Set<String> names = new HashSet<>();
        for (Metric metric : MetricTable.all()) {
            assertThat(names.add(metric.name())).as(metric.name()).isTrue();
            assertThat(metric.name()).matches("warpnfs_[a-z][a-z0-9_]*");
            assertThat(metric.name().endsWith("_total"))
                    .as(metric.name())
                    .isEqualTo(metric.type() == Metric.Type.COUNTER);
            assertThat(metric.labels())
                    .doesNotContain("client", "address", "peer")
                    .isSorted();
            assertThat(metric.help()).isNotBlank().doesNotEndWith(".").doesNotContain("|");
        }
    }

    /**
     * The server has the same counters for both transports. The table shows a counter that only one of them uses for
     * that one only.
     */
    @Test
    void everyCounterOfTheServer_isInTheTable() throws Exception {
        Set<String> sources = MetricTable.all().stream()
                .flatMap(metric -> metric.sources().keySet().stream())
                .collect(Collectors.toSet());
        Map<String, Long> counters;
        try (WarpServer server = WarpServer.start(InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)))) {
            counters = server.counters();
        }
        Set<String> missing = new TreeSet<>(counters.keySet());
        missing.removeAll(sources);
        missing.removeIf(name -> (name.startsWith("tcp_") && sources.contains("rdma_" + name.substring(4)))
                || (name.startsWith("rdma_") && sources.contains("tcp_" + name.substring(5))));
        assertThat(missing).isEmpty();
        Set<String> values = new TreeSet<>(sources);
        values.removeAll(counters.keySet());
        assertThat(values)
                .as("what comes from elsewhere")
                .allMatch(name -> name.matches("(process|jvm|server|udp|portmap|names)_.*|.*_loop_lag_seconds"));
    }
}
