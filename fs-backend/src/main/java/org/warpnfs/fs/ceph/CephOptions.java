package org.warpnfs.fs.ceph;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which directory of which file system to serve, and as whom.
 *
 * @param configuration ceph.conf: the monitors, and where the key of {@code id} is
 * @param id the name of a user of the cluster, without {@code client.}
 * @param fileSystem one of the cluster's file systems; null for the default one
 * @param directory an absolute path in the file system
 * @param name the name of the mount in the cluster: the next one of that name ends it. Null for none
 */
public record CephOptions(
        Path configuration,
        String id,
        @Nullable String fileSystem,
        String directory,
        @Nullable String name) {}
