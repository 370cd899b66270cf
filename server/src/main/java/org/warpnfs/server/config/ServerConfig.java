package org.warpnfs.server.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.PseudoPath;

/**
 * Everything that {@code serve} was told.
 *
 * @param exports each with its place
 * @param backend where the files are
 * @param memoryBytes capacity of each file system in memory
 * @param rdmaAddress where RDMA clients connect; port 0 takes a free one
 * @param tcpAddress where TCP clients connect, for NFS and MOUNT
 * @param stateDirectory what must outlive a restart; null where nothing does
 * @param rdma how RDMA clients are served
 * @param lease NFSv4 lease, and the longest grace period
 * @param operationThreads how many calls are worked on at once
 * @param payloadBytes memory for file data in flight, over all connections
 * @param drain how long a stop waits for calls that are under way
 * @param identities who is who
 */
public record ServerConfig(
        List<ExportSpec> exports,
        Backend backend,
        long memoryBytes,
        InetSocketAddress rdmaAddress,
        InetSocketAddress tcpAddress,
        @Nullable Path stateDirectory,
        RdmaChoices rdma,
        Duration lease,
        int operationThreads,
        long payloadBytes,
        Duration drain,
        IdentityChoices identities) {

    /** The least memory for file data in flight: a few transfers of the largest size. */
    public static final long MIN_PAYLOAD_BYTES = 8 << 20;

    /** What {@code serve} exports when it is told nothing. */
    public static final Path DEFAULT_EXPORT = Path.of("export");

    public ServerConfig {
        exports = List.copyOf(exports);
    }

    /**
     * Gives each export its place. The only one is served at {@code /} unless it says otherwise; of several, each is
     * served under its own absolute path.
     *
     * @throws ConfigException if an export does not fit the backend
     */
    public static List<ExportSpec> placed(List<ExportSpec> specs, Backend backend) throws ConfigException {
        List<ExportSpec> asked = specs;
        if (asked.isEmpty()) {
            asked = List.of(ExportSpec.parse(backend == Backend.LOCAL ? DEFAULT_EXPORT + ":/" : ":/"));
        }
        List<ExportSpec> placed = new ArrayList<>();
        for (ExportSpec spec : asked) {
            placed.add(spec.at(place(spec, backend, asked.size() == 1)));
        }
        return List.copyOf(placed);
    }

    /** As {@link #placed}, where files name more exports: none is the only one, and there may be none. */
    public static List<ExportSpec> placedBesideOthers(List<ExportSpec> specs, Backend backend) throws ConfigException {
        List<ExportSpec> placed = new ArrayList<>();
        for (ExportSpec spec : specs) {
            placed.add(spec.at(place(spec, backend, false)));
        }
        return List.copyOf(placed);
    }

    private static PseudoPath place(ExportSpec spec, Backend backend, boolean only) throws ConfigException {
        Path directory = spec.directory();
        if (backend == Backend.MEMORY && directory != null) {
            throw new ConfigException("--export " + directory
                    + ": the memory backend holds no directories of this host; write --export :/PATH");
        }
        if (backend == Backend.LOCAL && directory == null) {
            throw new ConfigException("--export :" + spec.pseudoPath() + ": the directory is missing");
        }
        PseudoPath said = spec.pseudoPath();
        if (said != null) {
            return said;
        }
        if (only || directory == null) {
            return PseudoPath.root();
        }
        try {
            return PseudoPath.of(directory.toAbsolutePath().normalize().toString());
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--export " + directory + ": " + e.getMessage(), e);
        }
    }
}
