package org.warpnfs.nfs.export;

import java.util.concurrent.atomic.AtomicLongArray;
import org.warpnfs.fs.spi.FileIdentity;

/**
 * Tells whether the attributes read before and after a change enclose that change alone, as the pre-operation
 * attributes of RFC 1813, section 2.6 (wcc_data) and {@code change_info4.atomic} of RFC 8881, section 3.3.11 promise a
 * client. Nobody waits: changes run side by side, and those that overlapped just do not make the promise. So every
 * operation that changes a file in any way, its data, its attributes or its number of names, opens a window, also if it
 * makes no promise itself.
 *
 * <p>A client that is told too little asks again; one that is told too much keeps a stale directory. So files may share
 * a slot by chance, which errs on the side of asking. What changes a directory without going through this server is not
 * seen.
 *
 * <p>Safe for any thread.
 */
public final class ChangeWindows {
    /** 128 KiB: so that few directories share one with a file that is written to all the time. */
    private static final int SLOTS = 1 << 14;

    private static final int IN_FLIGHT_BITS = 16;
    private static final long IN_FLIGHT_MASK = (1L << IN_FLIGHT_BITS) - 1;
    private static final long BEGUN_UNIT = 1L << IN_FLIGHT_BITS;

    /** Of each slot: how many changes have begun, above how many of them have not ended, in the low 16 bits. */
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    /** Before the attributes ahead of a change are read. Each window must be ended. */
    public Window begin(FileIdentity file) {
        int slot = Math.floorMod(file.hashCode() * 0x9e3779b9, SLOTS);
        long before = slots.getAndAdd(slot, BEGUN_UNIT + 1);
        return new Window(
                slot, (before & IN_FLIGHT_MASK) == 0 ? (before + BEGUN_UNIT) >>> IN_FLIGHT_BITS : Window.OVERLAPPED);
    }

    /** The time from before the first look at the attributes until after the last. */
    public final class Window {
        private static final long OVERLAPPED = -1;

        private final int slot;
        private final long begun;

        private Window(int slot, long begun) {
            this.slot = slot;
            this.begun = begun;
        }

        /**
         * After the attributes behind the change have been read; once per window.
         *
         * @return true if no other change of the file overlapped this one
         */
        public boolean end() {
            return slots.decrementAndGet(slot) >>> IN_FLIGHT_BITS == begun;
        }
    }
}
