package org.warpnfs.fs.ceph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;

/**
 * Which files are open, and which have data that were not synced yet. A file of which the last opening is closed with
 * such data stays here until it is synced, or until there are too many: then the oldest is synced.
 *
 * <p>Safe for many threads.
 */
final class OpenFiles {
    /** The most files that are kept only because of data that were not synced. */
    static final int MAX_UNSYNCED = 1024;

    private final Mounts mounts;
    private final Map<FileHandle, Contents> open = new HashMap<>();
    /** Files that are not open, in the order in which they were closed. */
    private final Map<FileHandle, Contents> unsynced = new LinkedHashMap<>();

    /** Those of them that are being synced because there are too many. */
    private final Set<Contents> ending = new HashSet<>();

    private final Set<CephOpenFile> files = new HashSet<>();

    OpenFiles(Mounts mounts) {
        this.mounts = mounts;
    }

    synchronized boolean isOpen(FileHandle handle) {
        return open.containsKey(handle);
    }

    /** Adds an opening of a file, and returns what all openings share. */
    synchronized Contents opened(FileHandle handle) {
        Contents contents = open.get(handle);
        if (contents == null) {
            contents = unsynced.remove(handle);
            if (contents == null) {
                contents = new Contents(mounts);
            }
            open.put(handle, contents);
        }
        contents.openings++;
        return contents;
    }

    synchronized void add(CephOpenFile file) {
        files.add(file);
    }

    /** Ends an opening. May wait for the cluster. */
    void closed(FileHandle handle, Contents contents) {
        Map.@Nullable Entry<FileHandle, Contents> oldest = null;
        synchronized (this) {
            contents.openings--;
            if (contents.openings > 0) {
                return;
            }
            open.remove(handle);
            if (contents.hasUnsynced()) {
                unsynced.put(handle, contents);
                oldest = unsynced.size() - ending.size() <= MAX_UNSYNCED ? null : oldest();
            }
        }
        if (oldest != null) {
            end(oldest.getKey(), oldest.getValue());
        } else if (!contents.hasUnsynced()) {
            contents.end();
        }
    }

    /** True if a file is not open, and is kept only because of data that were not synced. */
    synchronized boolean isKeptUnsynced(FileHandle handle) {
        return unsynced.containsKey(handle);
    }

    private Map.@Nullable Entry<FileHandle, Contents> oldest() {
        for (Map.Entry<FileHandle, Contents> each : unsynced.entrySet()) {
            if (ending.add(each.getValue())) {
                return Map.entry(each.getKey(), each.getValue());
            }
        }
        return null;
    }

    /** Syncs a file, which is found here until it is synced: whoever commits it meanwhile waits for that. */
    private void end(FileHandle handle, Contents oldest) {
        try {
            oldest.end();
        } finally {
            synchronized (this) {
                ending.remove(oldest);
                if (!oldest.hasUnsynced()) {
                    unsynced.remove(handle, oldest);
                }
            }
        }
    }

    synchronized void remove(CephOpenFile file) {
        files.remove(file);
    }

    /** Closes everything. What was not synced is synced: an unmount would take seconds longer to write it. */
    void closeAll() {
        List<CephOpenFile> left;
        synchronized (this) {
            left = new ArrayList<>(files);
        }
        left.forEach(CephOpenFile::close);
        List<Contents> kept;
        synchronized (this) {
            kept = new ArrayList<>(unsynced.values());
            unsynced.clear();
        }
        kept.forEach(Contents::end);
    }

    /** Lets go what was opened through a mount that is over. */
    void leaveEnded(Mounted over) {
        List<CephOpenFile> left;
        List<Contents> contents;
        synchronized (this) {
            left = new ArrayList<>(files);
            contents = new ArrayList<>(open.values());
            contents.addAll(unsynced.values());
        }
        left.forEach(file -> file.leaveEnded(over));
        contents.forEach(each -> each.dropEnded(over));
        synchronized (this) {
            unsynced.values().removeIf(each -> !each.hasUnsynced());
        }
    }
}
