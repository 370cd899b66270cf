package org.warpnfs.server.config;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.FpduSize;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;

/**
 * How long FPDUs to each RDMA client may be.
 *
 * @param usual for clients of no network
 * @param networks the narrowest first
 */
public record FpduSizes(FpduSize usual, List<OfNetwork> networks) {
    /** FPDUs that fit TCP segments, for all clients. */
    public static final FpduSizes DEFAULT = new FpduSizes(FpduSize.MSS, List.of());

    /** As many as anybody lists by hand, since each new connection is compared with all. */
    private static final int MAX_NETWORKS = 1000;

    /** The choice for one network or address. */
    public record OfNetwork(HostPattern.Network network, FpduSize size) {}

    /**
     * Reads the choices: each {@code SIZE}, or {@code NETWORK=SIZE}.
     *
     * @param what the setting and its place, for messages
     * @throws ConfigException if one is malformed
     */
    public static FpduSizes of(String what, List<String> words) throws ConfigException {
        if (words.size() > MAX_NETWORKS) {
            throw new ConfigException(what + ": more than " + MAX_NETWORKS + " networks");
        }
        @Nullable FpduSize usual = null;
        List<OfNetwork> networks = new ArrayList<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            FpduSize size = size(what, word, word.substring(equals + 1));
            if (equals >= 0) {
                HostPattern.Network network = network(what, word, word.substring(0, equals));
                if (networks.stream().anyMatch(each -> each.network().equals(network))) {
                    throw new ConfigException(what + " " + word + ": the network is listed twice");
                }
                networks.add(new OfNetwork(network, size));
            } else if (usual == null) {
                usual = size;
            } else {
                throw new ConfigException(
                        what + " " + word + ": the size of all other clients is " + usual + " already");
            }
        }
        networks.sort(Comparator.comparingInt((OfNetwork each) -> each.network().bits())
                .reversed());
        return new FpduSizes(usual == null ? FpduSize.MSS : usual, List.copyOf(networks));
    }

    private static FpduSize size(String what, String word, String text) throws ConfigException {
        return FpduSize.of(text)
                .orElseThrow(() -> new ConfigException(what + " " + word + ": the size is mss, 16k or 64k"));
    }

    private static HostPattern.Network network(String what, String word, String text) throws ConfigException {
        try {
            if (HostPattern.of(text, HostNames.NONE) instanceof HostPattern.Network network) {
                return network;
            }
        } catch (IllegalArgumentException e) {
            throw new ConfigException(what + " " + word + ": " + e.getMessage(), e);
        }
        throw new ConfigException(what + " " + word + ": '" + text + "' is neither a network nor an address");
    }

    /** The choice for a client. */
    public FpduSize to(InetAddress client) {
        for (OfNetwork each : networks) {
            if (each.network().matches(client)) {
                return each.size();
            }
        }
        return usual;
    }
}
