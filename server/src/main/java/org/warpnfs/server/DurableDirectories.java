package org.warpnfs.server;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.stable.StableFiles;

/**
 * Creates directories that survive a crash of the host: a name is on stable storage when its parent directory has been
 * synced.
 *
 * <p>The name of the lowest existing directory is synced as well: an earlier start may have been killed between
 * creating and syncing it.
 */
final class DurableDirectories {
    private static final Logger LOG = LoggerFactory.getLogger(DurableDirectories.class);

    private final Sync sync;

    DurableDirectories(Sync sync) {
        this.sync = sync;
    }

    /**
     * Creates {@code path} and its missing parents.
     *
     * @throws IOException like {@link Files#createDirectories}, or if a directory cannot be synced
     */
    void make(Path path, FileAttribute<?>... attributes) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path at = path.toAbsolutePath();
        while (at != null && !Files.isDirectory(at)) {
            missing.push(at);
            at = at.getParent();
        }
        syncNameOf(at);
        for (Path next : missing) {
            try {
                Files.createDirectory(next, attributes);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(next)) {
                    throw e;
                }
            }
            syncNameOf(next);
        }
    }

    private void syncNameOf(@Nullable Path directory) throws IOException {
        Path parent = directory == null ? null : directory.getParent();
        if (parent == null) {
            return;
        }
        try {
            sync.sync(parent);
        } catch (AccessDeniedException e) {
            LOG.debug("{} may not be read, so it is not synced", parent);
        }
    }

    /** The sync of a directory; {@link StableFiles#sync} except in tests. */
    @FunctionalInterface
    interface Sync {
        void sync(Path directory) throws IOException;
    }
}
