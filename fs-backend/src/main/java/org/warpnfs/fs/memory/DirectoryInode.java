package org.warpnfs.fs.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;

/**
 * A directory. Each name gets a cookie when it comes, higher than all before it, and keeps it; so a listing resumes at
 * the same place whatever came and went meanwhile. The tree's lock guards the names.
 */
final class DirectoryInode extends Inode {
    /** 0 is the start, 1 and 2 are left to the protocols. */
    private static final long FIRST_COOKIE = 3;
    /** What a name is charged: as if it were of the longest, so that a rename never lacks space. */
    static final int ENTRY_BYTES = 384;

    private final Map<FileName, Entry> byName = new HashMap<>();
    private final TreeMap<Long, Entry> byCookie = new TreeMap<>();
    private long nextCookie = FIRST_COOKIE;
    // Read without the lock of the tree.
    private volatile int names;
    /** The directory that holds this one; itself for the root. */
    DirectoryInode parent;

    @SuppressWarnings("this-escape") // the root is its own parent; nothing else sees it before it is built
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

    /** True for 0 and every cookie that was given out, also of names that are gone. */
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
