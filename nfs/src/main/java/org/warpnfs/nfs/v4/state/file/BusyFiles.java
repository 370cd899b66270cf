package org.warpnfs.nfs.v4.state.file;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files that requests still write to although the open or delegation behind them is gone: its client has closed it, or
 * was removed. Until they end, nobody gets a delegation of the file, since a write under way would change what its
 * holder has in its cache.
 *
 * <p>Guarded by the lock of the state. Has no more than twice as many files as requests are in progress, and
 * {@value #LEAST} more.
 */
final class BusyFiles {
    private static final int LEAST = 64;

    private final Map<FileKey, Set<SharedFile>> byFile = new HashMap<>();
    private int most = LEAST;

    /** A state is about to let go of a file that can be written through it; null if there is none. */
    void leave(FileKey key, @Nullable SharedFile writer) {
        if (writer == null || !writer.isUsedByRequests()) {
            return;
        }
        if (byFile.size() >= most) {
            byFile.values().removeIf(BusyFiles::prune);
            most = LEAST + 2 * byFile.size();
        }
        Set<SharedFile> files = byFile.computeIfAbsent(key, _ -> new HashSet<>(2));
        boolean _ = prune(files);
        files.add(writer);
    }

    /** True if requests may still write to the file. */
    boolean contains(FileKey key) {
        Set<SharedFile> files = byFile.get(key);
        if (files != null && prune(files)) {
            byFile.remove(key);
            return false;
        }
        return files != null;
    }

    /** Forgets files that are closed. Returns true if none is left. */
    private static boolean prune(Set<SharedFile> files) {
        files.removeIf(SharedFile::isClosed);
        return files.isEmpty();
    }
}
