package org.warpnfs.fs.local;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Platform;
import org.warpnfs.fs.local.libc.ResourceCalls;
import org.warpnfs.fs.local.libc.ResourceCalls.FileLimit;

/**
 * How the descriptors of the process are shared out: a part for connections, a part for what a call opens for a moment
 * and for the virtual machine itself, and the rest for files that are open or lately were. All local file systems of a
 * process take from one budget, so that files can never use up what connections need.
 *
 * <p>Of {@code limit} descriptors a quarter is for connections, 256 (or an eighth, if that is less) are for the moment,
 * the rest is for files. Safe for many threads.
 */
public final class DescriptorBudget {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorBudget.class);
    /** Where the limit cannot be read: what Linux gives by default. */
    private static final int DEFAULT_LIMIT = 1024;

    private static final int MAX_MOMENTARY = 256;
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

    /** The process's own. The first call raises RLIMIT_NOFILE to its hard limit, as far as that is allowed. */
    public static DescriptorBudget ofProcess() {
        return OfProcess.BUDGET;
    }

    /**
     * Shares out so many descriptors, and sets no limit.
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
        int connections = total / 4;
        int momentary = Math.min(MAX_MOMENTARY, total / 8);
        return new DescriptorBudget(initialLimit, total, connections, total - connections - momentary);
    }

    /** RLIMIT_NOFILE, as it is now. */
    public int limit() {
        return limit;
    }

    /** How many connections may use, sockets of every kind. */
    public int forConnections() {
        return connections;
    }

    /** How many files may use, those that are open and those that are kept open. */
    public int forFiles() {
        return files;
    }

    /** How many files use now. */
    public int usedByFiles() {
        return used.get();
    }

    /** How often a file could not be opened because the files' share was used up by files in use. */
    public long refused() {
        return refused.get();
    }

    /** Takes one of the files' share; false if there is none. Give it back with {@link #give}. */
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

    boolean hasRoom() {
        return used.get() < files;
    }

    void give() {
        used.decrementAndGet();
    }

    void countRefusal() {
        refused.incrementAndGet();
    }

    /** One line for the log. */
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

        /** Before and after: {@code soft} is what there was, {@code hard} what there is now. */
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
