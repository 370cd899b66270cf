package org.warpnfs.server.cli;

import org.jspecify.annotations.Nullable;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.tools.bench.ProcessIds;
import org.warpnfs.tools.bench.Protocol;
import org.warpnfs.tools.bench.nfs.AuthSysCredential;
import picocli.CommandLine.Option;

/** Options of commands that are NFS clients: transport, version, ports and directory. */
final class NfsClientOptions {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_THREADS = 256;

    @Option(names = "--proto", paramLabel = "rdma|tcp", description = "The transport. Default: rdma.")
    private Protocol protocol = Protocol.RDMA;

    @Option(names = "--vers", paramLabel = "3|4.1", description = "The version of NFS. Default: 4.1.")
    private String version = "4.1";

    @Option(
            names = "--export",
            paramLabel = "/PATH",
            description = "The export, in which the user may create files. Default: /.")
    private String export = "/";

    @Option(names = "--port", paramLabel = "PORT", description = "Default: 20049 for rdma, 2049 for tcp.")
    private @Nullable Integer port;

    @Option(
            names = "--mount-port",
            paramLabel = "PORT",
            description = "Port of MOUNT over TCP, with --vers 3. Default: --port with tcp, else 2049.")
    private @Nullable Integer mountPort;

    @Option(names = "--client-threads", paramLabel = "N", description = "Threads for all connections. Default: 1.")
    private int clientThreads = 1;

    Protocol protocol() {
        return protocol;
    }

    /** Returns 3, or 4 for version 4.1. */
    int version() throws ConfigException {
        return switch (version) {
            case "3" -> 3;
            case "4.1" -> 4;
            default -> throw new ConfigException("--vers " + version + ": not 3 or 4.1");
        };
    }

    String export() throws ConfigException {
        if (!export.startsWith("/")) {
            throw new ConfigException("--export " + export + ": a path begins with /");
        }
        return export;
    }

    int nfsPort() throws ConfigException {
        return port == null ? protocol.defaultPort() : OptionRange.within("--port", port, 1, MAX_PORT);
    }

    int mountPort() throws ConfigException {
        if (mountPort != null) {
            return OptionRange.within("--mount-port", mountPort, 1, MAX_PORT);
        }
        return protocol == Protocol.TCP ? nfsPort() : Protocol.TCP.defaultPort();
    }

    int clientThreads() throws ConfigException {
        return OptionRange.within("--client-threads", clientThreads, 1, MAX_THREADS);
    }

    /**
     * Returns the caller's credential.
     *
     * @param uid the user id; null for that of this process
     * @param gid the group id; null for that of this process
     */
    static AuthSysCredential caller(String machine, @Nullable Integer uid, @Nullable Integer gid) {
        return new AuthSysCredential(
                machine, uid == null ? ProcessIds.uid() : uid, gid == null ? ProcessIds.gid() : gid);
    }
}
