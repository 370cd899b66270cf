package org.warpnfs.fs.local;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.DescriptorPressure;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Platform;
import org.warpnfs.fs.local.libc.ResourceCalls;
import org.warpnfs.fs.local.libc.ResourceCalls.FileLimit;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Divides the descriptors of the process. One part is for connections, one for descriptors that a call opens briefly
 * and for the virtual machine itself, and the rest for files that are open or were open lately. All local file systems
 * of a process share one budget, so that files can never use up what connections need.
 *
 * <p>Of {@code limit} descriptors a quarter is for connections, 256 (or an eighth, if that is less) are for brief use,
 * and the rest is for files. If files have {@value #ENOUGH_FOR_FILES} all the same, up to half are for connections, but
 * not more than {@value #ENOUGH_FOR_CONNECTIONS} for this reason. Safe for many threads.
 */
public final class DescriptorBudget {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorBudget.class);
    /** The limit that Linux sets by default, used where the limit cannot be read. */
    private static final int DEFAULT_LIMIT = 1024;

    private static final int MAX_MOMENTARY = 256;

    /** As many files as thousands of clients have open at one time. */
    static final int ENOUGH_FOR_FILES = 8192;

    /** As many connections as a server of thousands of clients has, over each of two transports. */
    static final int ENOUGH_FOR_CONNECTIONS = 16_384;
    /** Below this a server cannot work. */
    private static final int MIN_LIMIT = 64;

    private final long initialLimit;
    private final int limit;
    private final int connections;
    private final int files;
    private final AtomicInteger used = new AtomicInteger();
    private final AtomicLong refused = new AtomicLong();

    private DescriptorBudget(long initialLimit, int limit, int connections, int files) {
        this.initialLimit = initialLimit;
        this.limit = limit;
        this.connections = connections;
        this.files = files;
    }

    /** The budget of this process. The first call raises RLIMIT_NOFILE to its hard limit, as far as that is allowed. */
    public static DescriptorBudget ofProcess() {
        return OfProcess.BUDGET;
    }

    /**
     * Divides {@code limit} descriptors, and does not change RLIMIT_NOFILE.
     *
     * @param limit at least 64
     */
    public static DescriptorBudget of(long limit) {
        return of(limit, limit);
    }

    private static DescriptorBudget of(long initialLimit, long limit) {
        if (limit < MIN_LIMIT) {
            throw new IllegalArgumentException(
                    "RLIMIT_NOFILE is " + limit + "; a server needs at least " + MIN_LIMIT + " descriptors");
        }
        int total = (int) Math.min(limit, Integer.MAX_VALUE);
        int momentary = Math.min(MAX_MOMENTARY, total / 8);
        int beyondFiles = total - momentary - ENOUGH_FOR_FILES;
        int connections = Math.max(total / 4, Math.min(Math.min(total / 2, ENOUGH_FOR_CONNECTIONS), beyondFiles));
        return new DescriptorBudget(initialLimit, total, connections, total - connections - momentary);
    }

    /** RLIMIT_NOFILE, as it is now. */
    public int limit() {
        return limit;
    }

    /** Number of descriptors that connections may use, for sockets of every kind. */
    public int forConnections() {
        return connections;
    }

    /** Number of descriptors that files may use, both open files and idle ones. */
    public int forFiles() {
        return files;
    }

    /** Number of descriptors that files use now. */
    public int usedByFiles() {
        return used.get();
    }

    /** How often a file could not be opened because files in use had taken the whole share of files. */
    public long refused() {
        return refused.get();
    }

    /** Takes a descriptor of the files' share, or returns false if none is left. {@link #give} gives it back. */
    boolean tryTake() {
        int before = used.get();
        while (before < files) {
            int witness = used.compareAndExchange(before, before + 1);
            if (witness == before) {
                return true;
            }
            before = witness;
        }
        return false;
    }

    /**
     * Takes a descriptor of the files' share, and closes idle ones for it if there is none left.
     *
     * @throws FsException TRY_LATER if too many files are in use
     */
    void take() throws FsException {
        if (tryTake()) {
            return;
        }
        do {
            if (tryTake()) {
                return;
            }
        } while (DescriptorPressure.relieve());
        countRefusal();
        throw FsException.of(FsError.TRY_LATER, "too many files are open");
    }

    boolean hasRoom() {
        return used.get() < files;
    }

    void give() {
        used.decrementAndGet();
    }

    private void countRefusal() {
        refused.incrementAndGet();
    }

    /** The budget as one line for the log. */
    @Override
    public String toString() {
        String raised = initialLimit == limit ? "" : " (raised from " + initialLimit + ")";
        return "descriptors: " + limit + raised + ", of which " + connections + " for connections and " + files
                + " for files";
    }

    private static final class OfProcess {
        private static final DescriptorBudget BUDGET = read();

        private OfProcess() {}

        private static DescriptorBudget read() {
            FileLimit limit = Platform.isSupported() ? raised() : null;
            return limit == null
                    ? of(DEFAULT_LIMIT)
                    : of(limit.soft(), Math.max(MIN_LIMIT, Math.max(limit.soft(), limit.hard())));
        }

        /**
         * The limits after an attempt to raise them: {@code soft} is what the soft limit was before, {@code hard} what
         * it is now.
         */
        private static @Nullable FileLimit raised() {
            try {
                FileLimit before = ResourceCalls.fileLimit();
                if (before.soft() >= before.hard()) {
                    return new FileLimit(before.soft(), before.soft());
                }
                try {
                    ResourceCalls.setFileLimit(new FileLimit(before.hard(), before.hard()));
                } catch (ErrnoException e) {
                    LOG.warn("RLIMIT_NOFILE stays at {}: errno {}", before.soft(), e.errno());
                }
                return new FileLimit(before.soft(), ResourceCalls.fileLimit().soft());
            } catch (ErrnoException e) {
                LOG.warn("RLIMIT_NOFILE cannot be read: errno {}", e.errno());
                return null;
            }
        }
    }
}
