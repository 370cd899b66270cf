package org.warpnfs.server;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.Transport;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ServerConfig;

/** What exports say of transports, compared with what the server listens on. */
public final class ExportTransports {
    /** Exports that the warning names. */
    private static final int NAMED = 8;

    private ExportTransports() {}

    private static Set<Transport> served(ServerConfig config) {
        return config.rdmaAddress() == null
                ? Set.of(Transport.TCP)
                : config.tcpAddress() == null ? Set.of(Transport.RDMA) : Set.of(Transport.values());
    }

    /**
     * Checks that clients of each rule can reach the server.
     *
     * @throws ConfigException if a rule accepts only a transport that is off; one line says which
     */
    static void requireReachable(ServerConfig config, List<Export> exports) throws ConfigException {
        for (Export export : exports) {
            requireReachable(config, export.path().toString(), export.policy());
        }
    }

    /**
     * Checks that clients of each rule of an export can reach the server.
     *
     * @throws ConfigException if a rule accepts only a transport that is off; one line says which
     */
    public static void requireReachable(ServerConfig config, String path, ExportPolicy policy) throws ConfigException {
        for (var rule : policy.rules()) {
            Set<Transport> accepted = rule.options().transports();
            if (served(config).stream().noneMatch(accepted::contains)) {
                String word = accepted.iterator().next().word();
                throw new ConfigException(
                        "export " + path + ": transport=" + word + ", which is off (--" + word + "-port)");
            }
        }
    }

    /** The line that warns of exports whose {@code secure} does not hold over RDMA; empty if there is none. */
    static Optional<String> warning(ServerConfig config, List<Export> exports) {
        Map<String, ExportPolicy> policies = new LinkedHashMap<>();
        exports.forEach(export -> policies.put(export.path().toString(), export.policy()));
        return warning(config, policies);
    }

    /**
     * The line that warns of exports whose {@code secure} does not hold over RDMA; empty if there is none.
     *
     * @param policies by the paths of exports, in the order of the line
     */
    public static Optional<String> warning(ServerConfig config, Map<String, ExportPolicy> policies) {
        if (config.rdmaAddress() == null) {
            return Optional.empty();
        }
        List<String> paths = new ArrayList<>();
        policies.forEach((path, policy) -> {
            if (policy.rules().stream().anyMatch(rule -> rule.options().believesUsersOverRdma())) {
                paths.add(path);
            }
        });
        if (paths.isEmpty()) {
            return Optional.empty();
        }
        String named = String.join(", ", paths.subList(0, Math.min(NAMED, paths.size())))
                + (paths.size() > NAMED ? " and " + (paths.size() - NAMED) + " more" : "");
        return Optional.of(
                "secure does not hold over RDMA, where clients have no privileged ports: any user of a client "
                        + "host can act as any other in " + named
                        + ". transport=tcp, sec=krb5, all_squash or --rdma-port off "
                        + "prevent that; insecure says that it is meant");
    }
}
