package org.warpnfs.server.config;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.PseudoPath;

/**
 * The configuration of a server.
 *
 * @param exports the exports with their paths for clients
 * @param backend where the files are stored
 * @param plugin the backend of a plug-in; null with another backend
 * @param memoryBytes the capacity of each file system in memory
 * @param rdmaAddress where RDMA clients connect; port 0 means any free port, null that there are none
 * @param tcpAddress where TCP clients connect, for NFS and MOUNT; null if there are none
 * @param stateDirectory the directory for what must survive a restart; null for none
 * @param rdma how RDMA clients are served
 * @param lease NFSv4 lease, and the longest grace period
 * @param operationThreads the threads of each lane
 * @param payloadBytes memory for file data in flight, over all connections
 * @param drain how long a stop waits for calls under way
 * @param identities how users and groups are identified
 * @param dataPath the short cuts that calls may take
 * @param tls null if no client can use TLS
 * @param kerberos the server's keys; null if calls with RPCSEC_GSS are denied
 * @param cluster that the server is a node of; null if it is alone
 */
public record ServerConfig(
        List<ExportSpec> exports,
        Backend backend,
        @Nullable PluginChoice plugin,
        long memoryBytes,
        @Nullable InetSocketAddress rdmaAddress,
        @Nullable InetSocketAddress tcpAddress,
        @Nullable Path stateDirectory,
        RdmaChoices rdma,
        Duration lease,
        int operationThreads,
        long payloadBytes,
        Duration drain,
        IdentityChoices identities,
        DataPath dataPath,
        @Nullable TlsChoice tls,
        @Nullable KerberosChoice kerberos,
        @Nullable ClusterChoice cluster) {

    /** The least memory for file data in flight: a few transfers of the largest size. */
    public static final long MIN_PAYLOAD_BYTES = 8 << 20;

    /** The directory that {@code serve} exports by default. */
    public static final Path DEFAULT_EXPORT = Path.of("export");

    public ServerConfig {
        exports = List.copyOf(exports);
        if ((backend == Backend.PLUGIN) != (plugin != null)) {
            throw new IllegalArgumentException("a plug-in is chosen by backend " + Backend.PLUGIN);
        }
    }

    /** The configuration of a server that is alone. */
    public ServerConfig(
            List<ExportSpec> exports,
            Backend backend,
            @Nullable PluginChoice plugin,
            long memoryBytes,
            @Nullable InetSocketAddress rdmaAddress,
            @Nullable InetSocketAddress tcpAddress,
            @Nullable Path stateDirectory,
            RdmaChoices rdma,
            Duration lease,
            int operationThreads,
            long payloadBytes,
            Duration drain,
            IdentityChoices identities,
            DataPath dataPath,
            @Nullable TlsChoice tls,
            @Nullable KerberosChoice kerberos) {
        this(
                exports,
                backend,
                plugin,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                dataPath,
                tls,
                kerberos,
                null);
    }

    /** The configuration of a server with a built-in backend and all short cuts. */
    public ServerConfig(
            List<ExportSpec> exports,
            Backend backend,
            long memoryBytes,
            @Nullable InetSocketAddress rdmaAddress,
            @Nullable InetSocketAddress tcpAddress,
            @Nullable Path stateDirectory,
            RdmaChoices rdma,
            Duration lease,
            int operationThreads,
            long payloadBytes,
            Duration drain,
            IdentityChoices identities) {
        this(
                exports,
                backend,
                null,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                DataPath.DEFAULTS,
                null,
                null);
    }

    /** The same, with the backend of a plug-in. */
    public ServerConfig withPlugin(PluginChoice chosen) {
        return new ServerConfig(
                exports,
                Backend.PLUGIN,
                chosen,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                dataPath,
                tls,
                kerberos,
                cluster);
    }

    /** The same, with chosen short cuts. */
    public ServerConfig withDataPath(DataPath chosen) {
        return new ServerConfig(
                exports,
                backend,
                plugin,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                chosen,
                tls,
                kerberos,
                cluster);
    }

    /** The same, as a node of a cluster. */
    public ServerConfig withCluster(@Nullable ClusterChoice chosen) {
        return new ServerConfig(
                exports,
                backend,
                plugin,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                dataPath,
                tls,
                kerberos,
                chosen);
    }

    /** The same, with the server's keys. */
    public ServerConfig withKerberos(@Nullable KerberosChoice chosen) {
        return new ServerConfig(
                exports,
                backend,
                plugin,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                dataPath,
                tls,
                chosen,
                cluster);
    }

    /** The same, for clients that may use TLS. */
    public ServerConfig withTls(@Nullable TlsChoice chosen) {
        return new ServerConfig(
                exports,
                backend,
                plugin,
                memoryBytes,
                rdmaAddress,
                tcpAddress,
                stateDirectory,
                rdma,
                lease,
                operationThreads,
                payloadBytes,
                drain,
                identities,
                dataPath,
                chosen,
                kerberos,
                cluster);
    }

    /**
     * Gives each export its path for clients. A single export is served at {@code /}, each of several at its own
     * absolute path, unless it names another.
     *
     * @throws ConfigException if the backend does not support an export
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

    /** Like {@link #placed}, if files name more exports: no export counts as single, and there may be none. */
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
                    + ": the memory backend does not serve directories of this host; write --export :/PATH");
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
