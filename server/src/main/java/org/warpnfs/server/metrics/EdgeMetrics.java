package org.warpnfs.server.metrics;

import static org.warpnfs.server.metrics.Metric.levels;
import static org.warpnfs.server.metrics.Metric.total;
import static org.warpnfs.server.metrics.Metric.totals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.warpnfs.nfs.idmap.NameCounts;
import org.warpnfs.rpcrdma.udp.UdpCounts;
import org.warpnfs.server.rpcbind.PortmapTotals;

/** Metrics of datagrams, the portmapper and name services. They count for the whole process. */
final class EdgeMetrics {
    private static final List<String> VERSIONS = List.of("2", "3", "4");
    private static final Map<String, NameCounts> NAMES = new LinkedHashMap<>();

    static {
        NAMES.put("hosts", NameCounts.HOSTS);
        NAMES.put("groups", NameCounts.GROUPS);
        NAMES.put("owners", NameCounts.OWNERS);
    }

    private EdgeMetrics() {}

    static List<Metric> metrics() {
        return List.of(
                total("udp_datagrams", "udp_datagrams", "Datagrams received by MOUNT over UDP and by the portmapper"),
                total("udp_answered", "udp_answered", "Datagrams that were answered"),
                totals("udp_dropped", "cause", dropped(), "Datagrams that were dropped, by cause"),
                total(
                        "udp_replies_too_long",
                        "udp_replies_too_long",
                        "Replies over UDP that were too long for their call and were replaced by SYSTEM_ERR"),
                totals("portmap_calls", "version", versions(), "Calls to the portmapper of this server"),
                total(
                        "portmap_refused",
                        "portmap_refused",
                        "Portmapper calls that would have changed something, or made this host call another"),
                totals(
                        "names_known",
                        "of",
                        ofNames("known"),
                        "Names, groups and addresses that were found in " + "the cache"),
                totals("names_asked", "of", ofNames("asked"), "Questions to a name service"),
                levels("names_open", "of", ofNames("open"), "Questions that a name service has not answered yet"),
                totals("names_failed", "of", ofNames("failed"), "Questions that the name service could not answer"),
                totals("names_refused", "of", ofNames("refused"), "Questions not asked because too many were waiting"),
                totals(
                        "names_put_off",
                        "of",
                        ofNames("put_off"),
                        "Calls told to try later because there was no answer in time"));
    }

    private static Map<String, String> dropped() {
        Map<String, String> sources = new LinkedHashMap<>();
        for (UdpCounts.Drop drop : UdpCounts.Drop.values()) {
            String cause = drop.name().toLowerCase(Locale.ROOT);
            sources.put("udp_dropped_" + cause, cause);
        }
        return sources;
    }

    private static Map<String, String> versions() {
        Map<String, String> sources = new LinkedHashMap<>();
        VERSIONS.forEach(version -> sources.put("portmap_calls_" + version, version));
        return sources;
    }

    private static Map<String, String> ofNames(String what) {
        Map<String, String> sources = new LinkedHashMap<>();
        NAMES.keySet().forEach(of -> sources.put("names_" + what + "_" + of, of));
        return sources;
    }

    static void addTo(Map<String, Number> values) {
        UdpCounts udp = UdpCounts.ofProcess();
        values.put("udp_datagrams", udp.received());
        values.put("udp_answered", udp.answered());
        values.put("udp_replies_too_long", udp.repliesTooLong());
        for (UdpCounts.Drop drop : UdpCounts.Drop.values()) {
            values.put("udp_dropped_" + drop.name().toLowerCase(Locale.ROOT), udp.dropped(drop));
        }
        for (String version : VERSIONS) {
            values.put("portmap_calls_" + version, PortmapTotals.calls(Integer.parseInt(version)));
        }
        values.put("portmap_refused", PortmapTotals.refused());
        NAMES.forEach((of, counts) -> {
            values.put("names_known_" + of, counts.hits());
            values.put("names_asked_" + of, counts.questions());
            values.put("names_open_" + of, counts.open());
            values.put("names_failed_" + of, counts.failures());
            values.put("names_refused_" + of, counts.refused());
            values.put("names_put_off_" + of, counts.pending());
        });
    }
}
