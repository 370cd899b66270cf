package org.warpnfs.example.log;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileName;

/** The names in a directory, in the order of their cookies, which are never used again. */
final class Directory {
    /** A name and the file id of its file. */
    record Entry(FileName name, long cookie, long file) {}

    private final Map<FileName, Entry> byName = new HashMap<>();
    private final TreeMap<Long, Entry> byCookie = new TreeMap<>();

    @Nullable
    Entry find(FileName name) {
        return byName.get(name);
    }

    boolean isEmpty() {
        return byName.isEmpty();
    }

    NavigableMap<Long, Entry> after(long cookie) {
        return byCookie.tailMap(cookie, false);
    }

    void put(Entry entry) {
        remove(entry.name());
        byName.put(entry.name(), entry);
        byCookie.put(entry.cookie(), entry);
    }

    void remove(FileName name) {
        Entry entry = byName.remove(name);
        if (entry != null) {
            byCookie.remove(entry.cookie());
        }
    }
}
