package org.warpnfs.fs.ceph;

import java.util.Objects;
import java.util.UUID;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.Mount;

/**
 * Ends mounts of processes that died. Until then Ceph keeps their locks and capabilities, and whoever needs those waits
 * until the metadata servers give the mount up, a minute later.
 *
 * <p>Safe for many threads. Methods wait for the metadata servers, without a limit while these do not answer.
 */
public final class LeftMounts {
    private LeftMounts() {}

    /**
     * Ends the mount of this name, whoever has it. From then on the cluster takes nothing from it any more. Does
     * nothing if there is none.
     *
     * @param options of the mount; its directory does not matter
     * @throws CephException EPERM if the mount is of another user of the cluster
     */
    public static void end(CephOptions options) throws CephException {
        ask(options, Objects.requireNonNull(options.name()));
    }

    /** Returns when all metadata servers of the file system have answered. */
    public static void awaitAnswer(CephOptions options) throws CephException {
        // Each says that it knows no mount of this name.
        ask(options, fresh());
    }

    private static String fresh() {
        return "warpnfs-asks-" + UUID.randomUUID();
    }

    private static void ask(CephOptions options, String name) throws CephException {
        Mount asking = Mount.create(options.id());
        try {
            asking.readConfiguration(options.configuration().toString());
            String fileSystem = options.fileSystem();
            if (fileSystem != null) {
                asking.selectFileSystem(fileSystem);
            }
            asking.initialize();
            asking.replace(name);
            // Ends the sessions that this has opened, which would be missed later.
            asking.setName(fresh());
        } finally {
            asking.release();
        }
    }
}
