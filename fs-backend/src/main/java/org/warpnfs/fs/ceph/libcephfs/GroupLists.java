package org.warpnfs.fs.ceph.libcephfs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.keys.Keyed;

/**
 * The supplementary groups of callers, in memory that the library may read after the call that it was made for: it
 * copies the pointer with each request, and sends a request again, until a metadata server that replaces another has it
 * in its journal. So lists are kept when nobody uses them, as many as {@link #MAX_UNUSED}, and shared by equal ones.
 *
 * <p>Safe for many threads.
 */
final class GroupLists {
    /** The most lists that are kept though nobody uses them: those that were used last. */
    static final int MAX_UNUSED = 16384;

    /** The least recently used list first. */
    private final Map<Keyed<List<Long>>, Kept> lists = new LinkedHashMap<>(16, 0.75f, true);

    private int unused;

    /** A list with its memory, which is freed when nothing here refers to it any more. */
    static final class Kept {
        final MemorySegment memory;
        private int users;

        private Kept(MemorySegment memory) {
            this.memory = memory;
        }
    }

    /** Begins a use of this list, which is not empty, as an array of unsigned 32 bits. */
    synchronized Kept use(List<Long> groups) {
        Keyed<List<Long>> key = new Keyed<>(List.copyOf(groups));
        Kept kept = lists.get(key);
        if (kept == null) {
            kept = new Kept(array(groups));
            lists.put(key, kept);
        } else if (kept.users == 0) {
            unused--;
        }
        kept.users++;
        return kept;
    }

    private static MemorySegment array(List<Long> groups) {
        MemorySegment array = Arena.ofAuto().allocate(groups.size() * JAVA_INT.byteSize(), JAVA_INT.byteAlignment());
        for (int i = 0; i < groups.size(); i++) {
            array.setAtIndex(JAVA_INT, i, groups.get(i).intValue());
        }
        return array;
    }

    /** Ends a use. */
    synchronized void leave(Kept kept) {
        kept.users--;
        if (kept.users == 0) {
            unused++;
            if (unused > MAX_UNUSED) {
                dropOldest();
            }
        }
    }

    /** Those in use are passed by: they are as few as calls are under way. */
    private void dropOldest() {
        Iterator<Kept> oldest = lists.values().iterator();
        while (oldest.hasNext()) {
            if (oldest.next().users == 0) {
                oldest.remove();
                unused--;
                return;
            }
        }
    }

    synchronized int size() {
        return lists.size();
    }
}
