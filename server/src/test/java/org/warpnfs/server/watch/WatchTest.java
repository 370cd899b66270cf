package org.warpnfs.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.http.HttpGet;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.server.metrics.Metric;
import org.warpnfs.server.metrics.MetricTable;

/** Metrics, readiness and status of a whole server, over HTTP. */
class WatchTest {
    private Watch watch;
    private WarpServer server;

    @BeforeEach
    void start() throws Exception {
        watch = Watch.start("1.2.3", new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private void serve() throws Exception {
        server = WarpServer.start(
                InMemory.config(":/", 16 << 20, Duration.ofSeconds(5)), ServerLimits.DEFAULT, watch.recorder());
        watch.serves(server);
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        watch.close();
    }

    private HttpGet get(String path) throws IOException {
        return HttpGet.of(watch.address(), path);
    }

    /** Returns the samples by name and labels. */
    private Map<String, Double> scrape() throws IOException {
        Map<String, Double> samples = new TreeMap<>();
        get("/metrics").text().lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            samples.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
        });
        return samples;
    }

    private void mountAndMiss() throws IOException {
        byte[] root = NfsCall.opaque(
                skipStatus(NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress())));
        // LOOKUP of a missing name.
        NfsCall.of(2, NfsCall.NFS, 3, 3, 0).opaque(root).string("missing").overTcp(server.tcpAddress());
    }

    private static java.nio.ByteBuffer skipStatus(java.nio.ByteBuffer results) {
        assertThat(results.getInt()).isZero();
        return results;
    }

    @Test
    void metrics_afterCalls_tellOfThem() throws Exception {
        serve();
        mountAndMiss();
        assertThat(get("/readyz?deep").status()).isEqualTo(200);
        Map<String, Double> samples = scrape();
        assertThat(samples)
                .containsEntry(
                        "warpnfs_call_duration_seconds_count{operation=\"MNT\",program=\"mount\","
                                + "transport=\"tcp\",version=\"3\"}",
                        1.0)
                .containsEntry(
                        "warpnfs_call_duration_seconds_count{operation=\"LOOKUP\",program=\"nfs\","
                                + "transport=\"tcp\",version=\"3\"}",
                        1.0)
                .containsEntry(
                        "warpnfs_call_errors_total{operation=\"LOOKUP\",program=\"nfs\",status=\"NOENT\","
                                + "transport=\"tcp\",version=\"3\"}",
                        1.0)
                .containsEntry(
                        "warpnfs_call_duration_seconds_count{operation=\"NULL\",program=\"nfs\","
                                + "transport=\"rdma\",version=\"4\"}",
                        1.0)
                .containsEntry(
                        "warpnfs_call_duration_seconds_count{operation=\"COMPOUND\",program=\"nfs\","
                                + "transport=\"rdma\",version=\"4.0\"}",
                        1.0)
                .containsEntry(
                        "warpnfs_operation_duration_seconds_count{operation=\"GETATTR\",transport=\"rdma\","
                                + "version=\"4.0\"}",
                        1.0)
                .containsEntry(
                        "warpnfs_operation_duration_seconds_count{operation=\"GETATTR\",transport=\"tcp\","
                                + "version=\"4.0\"}",
                        1.0)
                .containsEntry("warpnfs_rpc_calls_received_total{transport=\"rdma\"}", 2.0)
                .containsEntry("warpnfs_rpc_calls_received_total{transport=\"tcp\"}", 4.0)
                .containsEntry("warpnfs_exports", 1.0)
                .containsEntry("warpnfs_grace", 0.0)
                .containsEntry("warpnfs_draining", 0.0);
        assertThat(samples.keySet()).anyMatch(name -> name.startsWith("warpnfs_build_info{") && name.contains("1.2.3"));
        for (String path : List.of("direction=\"received\",path=\"inline\"", "direction=\"sent\",path=\"inline\"")) {
            assertThat(samples.get("warpnfs_rpc_bytes_total{" + path + ",transport=\"rdma\"}"))
                    .as(path)
                    .isPositive();
        }
        assertThat(samples.get("warpnfs_rpc_bytes_total{direction=\"sent\",path=\"stream\",transport=\"tcp\"}"))
                .isPositive();
        assertThat(samples).containsKey("warpnfs_iwarp_streams{state=\"negotiating\"}");
        assertThat(samples.get("warpnfs_jvm_heap_used_bytes")).isPositive();
        assertThat(samples.get("warpnfs_process_cpu_seconds_total")).isPositive();
    }

    @Test
    void metrics_areThoseOfTheTable_withItsTypes() throws Exception {
        serve();
        mountAndMiss();
        assertThat(get("/readyz?deep").status()).isEqualTo(200);
        NfsCall.of(3, NfsCall.NFS, 4, 1, 0)
                .string("")
                .word(0)
                .word(1)
                .word(9999)
                .overTcp(server.tcpAddress());
        Set<String> shown = get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith("# TYPE "))
                .collect(Collectors.toCollection(TreeSet::new));
        // Those of data servers exist for each that is configured, and here is none.
        Set<String> documented = MetricTable.all().stream()
                .filter(metric -> !metric.name().startsWith("warpnfs_data_server_"))
                .map(metric -> "# TYPE " + metric.name() + " "
                        + (metric.type() == Metric.Type.INFO
                                ? "gauge"
                                : metric.type().name().toLowerCase(java.util.Locale.ROOT)))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(shown).isEqualTo(documented);
    }

    @Test
    void readiness_followsTheServer() throws Exception {
        assertThat(get("/healthz").status()).isEqualTo(200);
        assertThat(get("/readyz")).isEqualTo(new HttpGet(503, "text/plain; charset=utf-8", "starting\n"));
        assertThat(get("/status.json").text()).contains("\"state\":\"starting\"");
        serve();
        assertThat(get("/readyz").text()).isEqualTo("ready\n");
        assertThat(get("/readyz?deep").text()).isEqualTo("ready: NULL and GETATTR answered over TCP and RDMA\n");
        server.close();
        assertThat(get("/readyz")).isEqualTo(new HttpGet(503, "text/plain; charset=utf-8", "draining\n"));
        assertThat(get("/healthz").status()).isEqualTo(200);
        assertThat(get("/metrics").status()).isEqualTo(200);
    }

    @Test
    void status_tellsWhatThePageShows() throws Exception {
        serve();
        mountAndMiss();
        HttpGet status = get("/status.json");
        assertThat(status.contentType()).isEqualTo("application/json");
        assertThat(status.text())
                .contains(
                        "\"version\":\"1.2.3\"",
                        "\"ready\":true",
                        "\"path\":\"/\"",
                        "\"payload memory\"",
                        "\"history\":[{");
        assertThat(get("/").text()).startsWith("<!doctype html>");
    }
}
