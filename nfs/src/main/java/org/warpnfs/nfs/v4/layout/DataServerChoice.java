package org.warpnfs.nfs.v4.layout;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.warpnfs.keys.KeyedHash;

/**
 * Chooses the data servers of a layout, and keeps away from those where the client has just failed. A failure counts
 * for the client that reports it alone: nobody can keep others from a data server.
 *
 * <p>Safe for any thread; takes a lock of its own and never waits.
 */
public final class DataServerChoice {
    /** Time for which a client gets no layout with a data server after it has failed there. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /**
     * The oldest failure is forgotten for the next one. Then a client fails once more, and goes on without a layout.
     */
    private static final int MAX_FAILURES = 4096;

    /** @param what a data server, or a file that no data server gives to the client */
    private record Failure(long clientId, Object what) {
        @Override
        public int hashCode() {
            return KeyedHash.of(clientId, what.hashCode());
        }
    }

    private final DataServers servers;
    private final LinkedHashMap<Failure, Long> until = new LinkedHashMap<>();
    private final DataServerReports reports;
    private long errors;

    public DataServerChoice(DataServers servers) {
        this.servers = servers;
        this.reports = new DataServerReports(servers);
    }

    public DataServers servers() {
        return servers;
    }

    /**
     * The data servers for a layout of a file, the preferred one first; none if the client has to do without one.
     *
     * @param file equal for the same file
     */
    public synchronized List<DeviceId> choose(long nowNanos, long clientId, Object file, boolean writes) {
        if (hasFailed(nowNanos, clientId, file)) {
            return List.of();
        }
        return servers.choose(
                file.hashCode(), writes ? 1 : servers.mirrors(), device -> !hasFailed(nowNanos, clientId, device));
    }

    private boolean hasFailed(long nowNanos, long clientId, Object what) {
        Long end = until.get(new Failure(clientId, what));
        return end != null && nowNanos - end < 0;
    }

    /** Notes what a client reports. An error that is about the file or its user says nothing of the data server. */
    public synchronized void failed(long nowNanos, long clientId, Object file, List<DeviceError> reported) {
        for (DeviceError error : reported) {
            if (error.status() == 0) {
                continue;
            }
            errors++;
            reports.failed(error.device());
            if (error.isRefusal()) {
                note(nowNanos, new Failure(clientId, file));
            } else if (servers.of(error.device()) != null) {
                note(nowNanos, new Failure(clientId, error.device()));
            }
        }
    }

    private void note(long nowNanos, Failure failure) {
        until.putLast(failure, nowNanos + PAUSE_NANOS);
        if (until.size() > MAX_FAILURES) {
            until.pollFirstEntry();
        }
    }

    /** Adds what a client says it has done at data servers with its layout of a file. */
    public synchronized void used(long clientId, Object file, List<DeviceReport> reported) {
        reported.forEach(report -> reports.used(clientId, file, report));
    }

    /** Notes that a client has returned all layouts of a file. */
    public synchronized void returned(long clientId, Object file) {
        reports.returned(clientId, file);
    }

    /** What clients have reported of each data server, in the order of the configuration. */
    public synchronized List<DataServerCounts> counts() {
        return reports.counts();
    }

    /** Errors that clients have reported since the start, also at data servers that are none of ours. */
    public synchronized long errors() {
        return errors;
    }

    /** The devices that exist, for tests and people. */
    public List<DeviceId> devices() {
        List<DeviceId> ids = new ArrayList<>();
        servers.servers().forEach(server -> ids.add(server.id()));
        return ids;
    }
}
