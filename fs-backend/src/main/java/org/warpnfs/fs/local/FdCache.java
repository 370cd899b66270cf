package org.warpnfs.fs.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.OpenAccess;

/**
 * Descriptors of regular files that are open or lately were, so that reading and writing does not open a file each time.
 *
 * <p>A descriptor is opened by the server as itself and says nothing about who may use it: each {@link LocalFileSystem#open}
 * is judged anew, so a change of permissions counts at once.
 *
 * <h2>Buffers</h2>
 *
 * Those nobody has open are kept, up to a number, least recently used going first; not if the file has no name left, which
 * would keep its space. Safe for many threads.
 */
final class FdCache implements AutoCloseable {
    private final int maxIdle;
    private final Map<Key, Entry> entries = new HashMap<>();
    private final LinkedHashMap<Key, Entry> idle = new LinkedHashMap<>();
    private boolean closed;

    FdCache(int maxIdle) {
        this.maxIdle = maxIdle;
    }

    /** A descriptor of the file that can do what is asked, if one is open; give it back with {@link #release}. */
    @Nullable
    Entry find(FileHandle handle, OpenAccess access) {
        Entry found = find(handle, access.writes());
        return found == null && !access.writes() ? find(handle, true) : found;
    }

    /** Takes in a descriptor that was opened, and gives it to its first user, or another that came before it. */
    Entry add(FileHandle handle, boolean writable, Fd fd) {
        return add(new Key(handle, writable), fd);
    }

    /** A descriptor of the file if one is open; give it back with {@link #release}. */
    @Nullable
    Entry findAny(FileHandle handle) {
        Entry found = find(handle, true);
        return found != null ? found : find(handle, false);
    }

    private synchronized @Nullable Entry find(FileHandle handle, boolean writable) {
        Entry entry = entries.get(new Key(handle, writable));
        if (entry != null) {
            idle.remove(entry.key);
            entry.users++;
        }
        return entry;
    }

    private Entry add(Key key, Fd fd) {
        Entry result;
        synchronized (this) {
            result = entries.get(key);
            if (result == null) {
                result = new Entry(key, fd);
                if (closed) {
                    result.dropped = true;
                } else {
                    entries.put(key, result);
                }
            } else {
                idle.remove(key);
            }
            result.users++;
        }
        if (result.fd != fd) {
            fd.close();
        }
        return result;
    }

    /** True if nobody but the one who asks uses it. */
    synchronized boolean isSoleUser(Entry entry) {
        return entry.users == 1;
    }

    void release(Entry entry) {
        boolean hasName = hasName(entry.fd);
        List<Entry> toClose = new ArrayList<>();
        synchronized (this) {
            entry.users--;
            if (entry.users == 0) {
                if (entry.dropped) {
                    toClose.add(entry);
                } else if (!hasName) {
                    entries.remove(entry.key);
                    toClose.add(entry);
                } else {
                    idle.put(entry.key, entry);
                    evict(toClose);
                }
            }
        }
        toClose.forEach(each -> each.fd.close());
    }

    private void evict(List<Entry> toClose) {
        Iterator<Entry> oldest = idle.values().iterator();
        while (idle.size() > maxIdle) {
            Entry entry = oldest.next();
            oldest.remove();
            entries.remove(entry.key);
            toClose.add(entry);
        }
    }

    private static boolean hasName(Fd fd) {
        try {
            return AttributeCalls.statx(fd).linkCount() > 0;
        } catch (ErrnoException e) {
            return false;
        }
    }

    /** The file lost a name: an idle descriptor would keep it alive. */
    void forgetIdle(FileHandle handle) {
        List<Entry> toClose = new ArrayList<>();
        synchronized (this) {
            for (boolean writable : new boolean[] {false, true}) {
                Entry entry = idle.remove(new Key(handle, writable));
                if (entry != null) {
                    entries.remove(entry.key);
                    toClose.add(entry);
                }
            }
        }
        toClose.forEach(each -> each.fd.close());
    }

    /** Closes descriptors of files that lost their last name by another way than through the server. */
    void sweep() {
        List<Entry> candidates;
        synchronized (this) {
            candidates = List.copyOf(idle.values());
            candidates.forEach(entry -> entry.users++);
            idle.clear();
        }
        candidates.forEach(this::release);
    }

    /** Closes all, also those in use. */
    @Override
    public void close() {
        List<Entry> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(entries.values());
            all.forEach(entry -> entry.dropped = true);
            entries.clear();
            idle.clear();
        }
        all.forEach(entry -> entry.fd.close());
    }

    private record Key(FileHandle handle, boolean writable) {}

    /** A descriptor in use; the cache's lock guards it. */
    static final class Entry {
        private final Key key;
        private final Fd fd;
        private int users;
        private boolean dropped;

        Entry(Key key, Fd fd) {
            this.key = key;
            this.fd = fd;
        }

        Fd fd() {
            return fd;
        }
    }
}
