package org.warpnfs.server.config;

import java.nio.file.Path;
import org.warpnfs.nfs.cluster.DirectoryStore;

/**
 * The cluster of gateways that a server belongs to.
 *
 * @param name of the cluster
 * @param node name of this gateway; the same wherever it runs
 * @param directory that all gateways see; the cluster has a subdirectory of its name in it
 */
public record ClusterChoice(String name, String node, Path directory) {
    /** True if a cluster or a node may have that name. */
    public static boolean isName(String name) {
        return DirectoryStore.isName(name);
    }
}
