package org.warpnfs.server.config;

import java.nio.file.Path;

/** Where the gateways of a cluster keep what they share. */
public sealed interface SharedPlace {
    /**
     * In a directory that all gateways see.
     *
     * @param directory has a subdirectory with the name of the cluster
     */
    record InDirectory(Path directory) implements SharedPlace {}

    /**
     * In objects of a cluster of Ceph.
     *
     * @param configuration ceph.conf
     * @param id the name of a user of Ceph, without {@code client.}
     * @param fileSystem whose pool is used; empty if Ceph has only one
     * @param pool empty for the first data pool of the file system
     */
    record InCeph(Path configuration, String id, String fileSystem, String pool) implements SharedPlace {}
}
