package org.warpnfs.server;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.stable.StableFiles;

/** The key that signs the file handles of all nodes of a cluster, so that handles are valid at each. */
final class ClusterHandleKey {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterHandleKey.class);

    private ClusterHandleKey() {}

    /**
     * Returns the key that signs the file handles of all nodes. The first node makes it.
     *
     * @throws ConfigException if it cannot be read or made; it names the file
     */
    static byte[] of(Path cluster) throws ConfigException {
        Path file = cluster.resolve("handle-key");
        try {
            if (!Files.exists(file)) {
                make(cluster, file);
            }
            // One without a checksum is left as it is: gateways of the version before read it too.
            byte[] key = StateDirectory.handleKeyIn(file, Files.readAllBytes(file));
            StableFiles.sync(cluster);
            return key;
        } catch (NoSuchFileException e) {
            throw new ConfigException(file + ": is missing", e);
        } catch (IOException e) {
            throw new ConfigException(file + ": " + e.getMessage(), e);
        }
    }

    private static void make(Path cluster, Path file) throws IOException {
        Path fresh = cluster.resolve("handle-key-" + UUID.randomUUID());
        try {
            StableFiles.create(fresh, StateDirectory.withSum(StateDirectory.freshHandleKey()));
            Files.createLink(file, fresh);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("another node has made {}", file);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
