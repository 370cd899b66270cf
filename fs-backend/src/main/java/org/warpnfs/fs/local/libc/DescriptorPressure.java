package org.warpnfs.fs.local.libc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Who can close descriptors when the process or the host has none left. A call that opens something and gets EMFILE or
 * ENFILE asks here, and is made again if any descriptor was closed.
 *
 * <p>This is one for the process, as the limit is. Safe for many threads.
 */
public final class DescriptorPressure {
    /**
     * Others may take what was freed before the call is made again, so one try is not enough. Nor must it go on for
     * ever.
     */
    private static final int MAX_TRIES = 8;

    private static final List<Relief> RELIEFS = new CopyOnWriteArrayList<>();

    private DescriptorPressure() {}

    /** Registers someone who keeps descriptors that nobody uses at the moment. */
    public static void register(Relief relief) {
        RELIEFS.add(relief);
    }

    /** Undoes {@link #register}. */
    public static void unregister(Relief relief) {
        RELIEFS.remove(relief);
    }

    /** Asks all who are registered to close some; true if any did. */
    public static boolean relieve() {
        boolean relieved = false;
        for (Relief relief : RELIEFS) {
            relieved |= relief.closeSome();
        }
        return relieved;
    }

    /** True if the call that failed is to be made again. */
    static boolean relieved(ErrnoException failure, int tries) {
        return (failure.errno() == Errno.EMFILE || failure.errno() == Errno.ENFILE) && tries < MAX_TRIES && relieve();
    }

    /** Closes some descriptors that are kept only because they may be used again. */
    @FunctionalInterface
    public interface Relief {
        /** True if at least one was closed. Does not throw. */
        boolean closeSome();
    }
}
