package org.warpnfs.nfs.export;

import java.util.concurrent.atomic.AtomicLongArray;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * Detects whether the attributes that were read before and after a change enclose that change alone. The pre-operation
 * attributes of RFC 1813, section 2.6 (wcc_data) and {@code change_info4.atomic} of RFC 8881, section 3.3.8 promise
 * this to a client. No change waits for another: changes run at the same time, and those that overlapped do not make
 * the promise. So every operation that changes a file's data, its attributes or its number of names opens a window,
 * even if it makes no promise itself.
 *
 * <p>A client that gets no promise asks again. A client that gets a false one keeps a stale directory. So two files may
 * share a slot by chance, which can only withhold a promise. Changes of a directory that do not go through this server
 * are not seen.
 *
 * <p>Safe for any thread.
 */
public final class ChangeWindows {
    /** 128 KiB, so that few directories share a slot with a file that is written to all the time. */
    private static final int SLOTS = 1 << 14;

    private static final int IN_FLIGHT_BITS = 16;
    private static final long IN_FLIGHT_MASK = (1L << IN_FLIGHT_BITS) - 1;
    private static final long BEGUN_UNIT = 1L << IN_FLIGHT_BITS;

    /**
     * The state of each slot: the number of changes in progress in the low 16 bits, the number of changes begun above
     * them.
     */
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    /** Opens a window. Must be called before the attributes ahead of a change are read. Each window must be ended. */
    public Window begin(FileIdentity file) {
        int slot = Math.floorMod(file.hashCode() * 0x9e3779b9, SLOTS);
        long before = slots.getAndAdd(slot, BEGUN_UNIT + 1);
        return new Window(
                slot, (before & IN_FLIGHT_MASK) == 0 ? (before + BEGUN_UNIT) >>> IN_FLIGHT_BITS : Window.OVERLAPPED);
    }

    /** The time from before the first read of the attributes until after the last. */
    public final class Window {
        private static final long OVERLAPPED = -1;

        private final int slot;
        private final long begun;

        private Window(int slot, long begun) {
            this.slot = slot;
            this.begun = begun;
        }

        /**
         * Ends the window. Must be called once, after the attributes behind the change have been read.
         *
         * @return true if no other change of the file overlapped this one
         */
        public boolean end() {
            return slots.decrementAndGet(slot) >>> IN_FLIGHT_BITS == begun;
        }
    }
}
