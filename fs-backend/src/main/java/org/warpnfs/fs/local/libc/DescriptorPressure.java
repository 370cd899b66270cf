package org.warpnfs.fs.local.libc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Closes kept descriptors when the process or the host has none left. A call that opens something and gets EMFILE or
 * ENFILE calls this, and is repeated if a descriptor was closed.
 *
 * <p>There is one for the process, as there is one limit. Safe for many threads.
 */
public final class DescriptorPressure {
    /**
     * Number of attempts. Another thread may take the freed descriptor before the call is repeated, so one attempt is
     * not enough. The number is bounded so that a call ends.
     */
    private static final int MAX_TRIES = 8;

    private static final List<Relief> RELIEFS = new CopyOnWriteArrayList<>();
    /** Whether this thread is in {@link #relieve}. */
    private static final ThreadLocal<Boolean> RELIEVING = ThreadLocal.withInitial(() -> false);

    private DescriptorPressure() {}

    /** Registers an owner of descriptors that are kept but not in use. */
    public static void register(Relief relief) {
        RELIEFS.add(relief);
    }

    /** Undoes {@link #register}. */
    public static void unregister(Relief relief) {
        RELIEFS.remove(relief);
    }

    /**
     * Asks all registered owners to close some descriptors. Returns true if any did. An owner that needs a descriptor
     * itself, to close another, asks nobody: it could be asked again without end.
     */
    public static boolean relieve() {
        if (RELIEVING.get()) {
            return false;
        }
        RELIEVING.set(true);
        try {
            boolean relieved = false;
            for (Relief relief : RELIEFS) {
                relieved |= relief.closeSome();
            }
            return relieved;
        } finally {
            RELIEVING.remove();
        }
    }

    /** Returns true if a failed open should be repeated: it was interrupted, or a descriptor was closed for it. */
    static boolean repeats(ErrnoException failure, int tries) {
        return switch (failure.errno()) {
            case Errno.EINTR -> true;
            case Errno.EMFILE, Errno.ENFILE -> tries < MAX_TRIES && relieve();
            default -> false;
        };
    }

    /** An owner of descriptors that are kept only because they may be used again. */
    @FunctionalInterface
    public interface Relief {
        /** Closes some descriptors. Returns true if it closed at least one. Does not throw. */
        boolean closeSome();
    }
}
