package org.warpnfs.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.layout.DataServerCounts;
import org.warpnfs.nfs.v4.layout.DeviceUse;

class DataServerMetricsTest {
    private static final String STEM = "warpnfs_data_server_";

    @Test
    void scrape_withTwoDataServers_hasTheNumbersOfEach() {
        Map<String, Number> values = new LinkedHashMap<>(DataServerMetrics.values(List.of(
                new DataServerCounts("10.0.0.1:2049", new DeviceUse(1, 2, 3, 4), 5),
                new DataServerCounts("[fd00::2]:20049", DeviceUse.NONE, 0))));
        try (ServerMetrics metrics = new ServerMetrics("test", () -> values)) {
            assertThat(metrics.scrape()
                            .lines()
                            .filter(line -> line.startsWith(STEM))
                            .map(line -> line.substring(STEM.length())))
                    .containsExactlyInAnyOrder(
                            "operations_total{data_server=\"10.0.0.1:2049\",operation=\"read\"} 1.0",
                            "operations_total{data_server=\"10.0.0.1:2049\",operation=\"write\"} 3.0",
                            "bytes_total{data_server=\"10.0.0.1:2049\",operation=\"read\"} 2.0",
                            "bytes_total{data_server=\"10.0.0.1:2049\",operation=\"write\"} 4.0",
                            "errors_total{data_server=\"10.0.0.1:2049\"} 5.0",
                            "operations_total{data_server=\"[fd00::2]:20049\",operation=\"read\"} 0.0",
                            "operations_total{data_server=\"[fd00::2]:20049\",operation=\"write\"} 0.0",
                            "bytes_total{data_server=\"[fd00::2]:20049\",operation=\"read\"} 0.0",
                            "bytes_total{data_server=\"[fd00::2]:20049\",operation=\"write\"} 0.0",
                            "errors_total{data_server=\"[fd00::2]:20049\"} 0.0");
        }
    }

    @Test
    void scrape_withoutDataServers_hasNone() {
        try (ServerMetrics metrics = new ServerMetrics("test", Map::of)) {
            assertThat(metrics.scrape()).doesNotContain(STEM);
        }
    }
}
