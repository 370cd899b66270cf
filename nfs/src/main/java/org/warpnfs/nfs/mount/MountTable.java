package org.warpnfs.nfs.mount;

import java.util.LinkedHashSet;
import java.util.List;
import org.warpnfs.keys.KeyedHash;

/**
 * The mounts that clients have reported. They are shown by DUMP and used for nothing else.
 *
 * <p>Holds a bounded number of entries with a bounded total length, since anybody may ask for all of them with a call
 * of forty bytes, many times at once. The oldest entries are removed. Safe for any thread.
 */
final class MountTable {
    static final int MAX_ENTRIES = 1024;
    /** Limit of the table as DUMP encodes it. 48 KiB: a thousand mounts with paths of usual length. */
    static final int MAX_BYTES = 48 << 10;

    private final LinkedHashSet<Entry> entries = new LinkedHashSet<>();
    private int bytes;

    /**
     * One mountbody.
     *
     * @param client an address
     * @param directory the path as the client wrote it
     */
    record Entry(String client, String directory) {
        @Override
        public int hashCode() {
            return KeyedHash.of(KeyedHash.of(client), KeyedHash.of(directory));
        }

        /**
         * Length of the entry in DUMP: the word that follows it, and two strings with their lengths (RFC 1813, section
         * 5.2.2).
         */
        int encodedBytes() {
            return 3 * Integer.BYTES + roundUp(client.length()) + roundUp(directory.length());
        }

        private static int roundUp(int bytes) {
            return bytes + 3 & ~3;
        }
    }

    synchronized void add(Entry entry) {
        remove(entry);
        entries.add(entry);
        bytes += entry.encodedBytes();
        while (entries.size() > MAX_ENTRIES || bytes > MAX_BYTES) {
            bytes -= entries.removeFirst().encodedBytes();
        }
    }

    synchronized void remove(Entry entry) {
        if (entries.remove(entry)) {
            bytes -= entry.encodedBytes();
        }
    }

    synchronized void removeAllOf(String client) {
        List<Entry> gone =
                entries.stream().filter(entry -> entry.client().equals(client)).toList();
        gone.forEach(this::remove);
    }

    synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }
}
