package org.warpnfs.nfs.mount;

import java.util.LinkedHashSet;
import java.util.List;

/**
 * Who mounted what, as far as clients say so: for people who ask by DUMP, and for nothing else.
 *
 * <p>Holds a bounded number of entries, of which the oldest give way. Safe for any thread.
 */
final class MountTable {
    static final int MAX_ENTRIES = 1024;

    private final LinkedHashSet<Entry> entries = new LinkedHashSet<>();

    /**
     * One mountbody.
     *
     * @param client an address
     * @param directory the path as the client wrote it
     */
    record Entry(String client, String directory) {}

    synchronized void add(Entry entry) {
        entries.remove(entry);
        if (entries.size() == MAX_ENTRIES) {
            entries.removeFirst();
        }
        entries.add(entry);
    }

    synchronized void remove(Entry entry) {
        entries.remove(entry);
    }

    synchronized void removeAllOf(String client) {
        entries.removeIf(entry -> entry.client().equals(client));
    }

    synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }
}
