package org.warpnfs.fs.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;

/**
 * A directory. Each name gets a cookie when it is added, higher than all before it, and keeps it. So a listing resumes
 * at the same place whatever names come and go meanwhile. The tree's lock guards the names.
 */
final class DirectoryInode extends Inode {
    /** The SPI reserves 0, 1 and 2; 0 is the start. */
    private static final long FIRST_COOKIE = 3;
    /** The charge for a name. It is that of the longest name, so that a rename never lacks space. */
    static final int ENTRY_BYTES = 384;

    private final Map<FileName, Entry> byName = new HashMap<>();
    private final TreeMap<Long, Entry> byCookie = new TreeMap<>();
    private long nextCookie = FIRST_COOKIE;
    // Read without the tree's lock.
    private volatile int names;
    /** The directory that holds this one. The root is its own parent. */
    DirectoryInode parent;

    @SuppressWarnings("this-escape") // The root is its own parent. Nothing else sees it before it is built.
    DirectoryInode(Birth birth, @Nullable DirectoryInode parent) {
        super(birth);
        this.parent = parent == null ? this : parent;
        this.linkCount = 2;
    }

    @Nullable
    Inode find(FileName name) {
        Entry entry = byName.get(name);
        return entry == null ? null : entry.inode();
    }

    void add(FileName name, Inode inode) {
        Entry entry = new Entry(name, nextCookie++, inode);
        byName.put(name, entry);
        byCookie.put(entry.cookie(), entry);
        names = byName.size();
    }

    void remove(FileName name) {
        Entry entry = byName.remove(name);
        if (entry != null) {
            byCookie.remove(entry.cookie());
            names = byName.size();
        }
    }

    boolean isEmpty() {
        return byName.isEmpty();
    }

    /** True for 0 and every cookie that was given out, even if its name was removed. */
    boolean knows(long cookie) {
        return cookie == 0
                || (Long.compareUnsigned(cookie, FIRST_COOKIE) >= 0 && Long.compareUnsigned(cookie, nextCookie) < 0);
    }

    Iterable<Entry> after(long cookie) {
        return byCookie.tailMap(cookie, false).values();
    }

    @Override
    FileType type() {
        return FileType.DIRECTORY;
    }

    @Override
    long sizeBytes() {
        return (long) names * ENTRY_BYTES;
    }

    @Override
    long usedBytes() {
        return (long) names * ENTRY_BYTES;
    }

    /** One name. */
    record Entry(FileName name, long cookie, Inode inode) {}
}
