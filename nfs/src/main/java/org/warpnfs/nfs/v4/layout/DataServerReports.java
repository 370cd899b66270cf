package org.warpnfs.nfs.v4.layout;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.keys.KeyedHash;

/**
 * Adds up what clients report of data servers. Only data servers of the configuration have sums: what a client says of
 * any other device is dropped.
 *
 * <p>Linux reports the same numbers again each time, with what has come since: they count from the moment in which it
 * got the layout. So the latest report of each layout is kept, and only what is new is added. Not safe for several
 * threads.
 */
final class DataServerReports {
    /**
     * The report that was used least recently is forgotten for a new one. Its next one counts as a whole, once more.
     */
    static final int MAX_KEPT = 16_384;

    private record Source(long clientId, Object file, DeviceId device) {
        @Override
        public int hashCode() {
            return KeyedHash.of(clientId, (long) file.hashCode() << 32 ^ device.hashCode());
        }
    }

    private static final class Sum {
        private DeviceUse use = DeviceUse.NONE;
        private long errors;
    }

    private final DataServers servers;
    private final Map<DeviceId, Sum> sums = new LinkedHashMap<>();
    private final LinkedHashMap<Source, DeviceUse> latest = new LinkedHashMap<>(16, 0.75f, true);

    DataServerReports(DataServers servers) {
        this.servers = servers;
        servers.servers().forEach(server -> sums.put(server.id(), new Sum()));
    }

    /** Adds what is new in a report. */
    void used(long clientId, Object file, DeviceReport report) {
        Sum sum = sums.get(report.device());
        if (sum == null) {
            return;
        }
        DeviceUse before = latest.put(new Source(clientId, file, report.device()), report.use());
        sum.use = sum.use.plus(before == null ? report.use() : report.use().since(before));
        if (latest.size() > MAX_KEPT) {
            latest.pollFirstEntry();
        }
    }

    /** Notes that a client has no layout of a file any more. The numbers of its next one begin with 0. */
    void returned(long clientId, Object file) {
        sums.keySet().forEach(device -> latest.remove(new Source(clientId, file, device)));
    }

    void failed(DeviceId device) {
        Sum sum = sums.get(device);
        if (sum != null) {
            sum.errors++;
        }
    }

    /** The sums, in the order of the configuration. */
    List<DataServerCounts> counts() {
        List<DataServerCounts> counts = new ArrayList<>();
        for (DataServer server : servers.servers()) {
            Sum sum = sums.get(server.id());
            if (sum != null) {
                counts.add(new DataServerCounts(server.name(), sum.use, sum.errors));
            }
        }
        return counts;
    }
}
