package org.warpnfs.server.config;

import java.util.List;
import org.warpnfs.nfs.cluster.DirectoryStore;

/**
 * The cluster of gateways that a server belongs to.
 *
 * @param name of the cluster
 * @param node name of this gateway; the same wherever it runs
 * @param place where all gateways keep what they share
 * @param addresses at which clients reach this gateway, for fs_locations; none if they are not to be told
 */
public record ClusterChoice(String name, String node, SharedPlace place, List<String> addresses) {
    public ClusterChoice {
        addresses = List.copyOf(addresses);
    }

    /** True if that can be the name or the address of a host. IPv6 addresses have no brackets. */
    public static boolean isAddress(String word) {
        return LocationList.isHost(word, true);
    }

    /** True if a cluster or a node may have that name. */
    public static boolean isName(String name) {
        return DirectoryStore.isName(name);
    }
}
