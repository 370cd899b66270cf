package org.warpnfs.server.metrics;

import static org.warpnfs.server.metrics.Metric.fed;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.warpnfs.nfs.v4.layout.DataServerCounts;
import org.warpnfs.nfs.v4.layout.DeviceUse;

/**
 * What NFSv4 clients report of data servers. The label {@code data_server} has the addresses of the configuration, and
 * nothing that a client says.
 */
public final class DataServerMetrics implements MultiCollector {
    private static final String STEM = "data_server:";
    private static final String OPERATIONS = "operations";
    private static final String BYTES = "bytes";
    private static final String ERRORS = "errors";

    private final Supplier<Map<String, Number>> values;

    DataServerMetrics(Supplier<Map<String, Number>> values) {
        this.values = values;
    }

    static List<Metric> metrics() {
        List<String> labels = List.of("data_server", "operation");
        return List.of(
                fed(
                        name(OPERATIONS) + "_total",
                        Metric.Type.COUNTER,
                        labels,
                        "READs and WRITEs at data servers that clients have reported (pNFS)"),
                fed(
                        name(BYTES) + "_total",
                        Metric.Type.COUNTER,
                        labels,
                        "Bytes of READs and WRITEs at data servers that clients have reported"),
                fed(
                        name(ERRORS) + "_total",
                        Metric.Type.COUNTER,
                        List.of("data_server"),
                        "Errors at data servers that clients have reported"));
    }

    private static String name(String what) {
        return "data_server_" + what;
    }

    /** Returns the values of data servers by name. A name begins with what is counted, and ends with the address. */
    public static Map<String, Long> values(List<DataServerCounts> servers) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (DataServerCounts server : servers) {
            DeviceUse use = server.use();
            values.put(STEM + OPERATIONS + ":read:" + server.name(), use.reads());
            values.put(STEM + OPERATIONS + ":write:" + server.name(), use.writes());
            values.put(STEM + BYTES + ":read:" + server.name(), use.readBytes());
            values.put(STEM + BYTES + ":write:" + server.name(), use.writtenBytes());
            values.put(STEM + ERRORS + "::" + server.name(), server.errors());
        }
        return values;
    }

    @Override
    public MetricSnapshots collect() {
        Map<String, CounterSnapshot.Builder> families = new TreeMap<>();
        values.get().forEach((key, value) -> {
            if (key.startsWith(STEM)) {
                String[] parts = key.split(":", 4);
                families.computeIfAbsent(parts[1], DataServerMetrics::family)
                        .dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                                .labels(
                                        parts[2].isEmpty()
                                                ? Labels.of("data_server", parts[3])
                                                : Labels.of("data_server", parts[3], "operation", parts[2]))
                                .value(value.doubleValue())
                                .build());
            }
        });
        MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
        families.values().forEach(family -> snapshots.metricSnapshot(family.build()));
        return snapshots.build();
    }

    private static CounterSnapshot.Builder family(String what) {
        String name = Metric.PREFIX + name(what);
        return CounterSnapshot.builder().name(name).help(MetricTable.help(name + "_total"));
    }
}
