package org.warpnfs.fs.local;

import com.google.common.util.concurrent.Uninterruptibles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.LockCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.schedule.Repeated;

/**
 * Leases on files of the host: the kernel holds back who opens a file in a way that conflicts.
 *
 * <h2>Operation</h2>
 *
 * One thread asks the kernel every {@value #POLL_MILLIS} ms about each lease whether somebody waits for its release. It
 * exists while there are leases, and a moment longer. The kernel waits 45 s by default, so this is soon enough, and
 * needs no signal.
 *
 * <h2>Buffers</h2>
 *
 * Each lease has a descriptor of the {@link DescriptorBudget}. Safe for any thread.
 */
final class HostLeases {
    private static final Logger LOG = LoggerFactory.getLogger(HostLeases.class);
    static final int POLL_MILLIS = 200;
    /** What Linux begins with. */
    private static final Duration USUAL_BREAK_TIME = Duration.ofSeconds(45);

    private static final Duration BREAK_TIME = breakTime(Path.of("/proc/sys/fs/lease-break-time"));

    private final Handles handles;
    private final FdCache files;
    private final DescriptorBudget budget;
    private final Question question;
    private final Set<Leased> held = ConcurrentHashMap.newKeySet();
    private @Nullable ScheduledExecutorService thread;
    private boolean closed;

    HostLeases(Handles handles, FdCache files, DescriptorBudget budget) {
        this(handles, files, budget, LockCalls::isBreaking);
    }

    /** Makes leases with another way to ask the kernel. */
    HostLeases(Handles handles, FdCache files, DescriptorBudget budget, Question question) {
        this.handles = handles;
        this.files = files;
        this.budget = budget;
        this.question = question;
    }

    /** Asks the kernel whether somebody waits for a lease. */
    @FunctionalInterface
    interface Question {
        boolean isBreaking(Fd fd, boolean exclusive) throws ErrnoException;
    }

    /** Takes a lease, if nobody uses the file in a way that conflicts and this process may take one. */
    Optional<Lease> take(FileHandle file, Lease.Kind kind, Runnable breaking) throws FsException {
        Leased lease = kind == Lease.Kind.READ ? toRead(file, breaking) : toWrite(file, breaking);
        boolean taken = false;
        try {
            LockCalls.lease(lease.fd, lease.isExclusive());
            taken = true;
        } catch (ErrnoException e) {
            LOG.debug("no lease: errno {}", e.errno());
        } finally {
            if (!taken) {
                lease.giveBack.run();
            }
        }
        if (!taken) {
            return Optional.empty();
        }
        begin(lease);
        return Optional.of(lease);
    }

    /** A lease of its own descriptor, since the kernel demands one that is open for reading alone. */
    private Leased toRead(FileHandle file, Runnable breaking) throws FsException {
        // A descriptor that is kept for later writes counts as a writer.
        files.closeIdle(file, true);
        budget.take();
        Fd fd = null;
        try {
            fd = HostLocks.openFile(handles, file, OpenCalls.O_RDONLY);
        } finally {
            if (fd == null) {
                budget.give();
            }
        }
        Fd own = fd;
        return new Leased(Lease.Kind.READ, fd, breaking, () -> {
            own.close();
            budget.give();
        });
    }

    /** A lease of the descriptor through which all clients write, since the kernel demands that there is no other. */
    private Leased toWrite(FileHandle file, Runnable breaking) throws FsException {
        files.closeIdle(file, false);
        CachedFd entry = files.find(file, OpenAccess.WRITE);
        if (entry == null) {
            entry = files.open(file, true, () -> HostLocks.openFile(handles, file, OpenCalls.O_RDWR));
        }
        CachedFd used = entry;
        return new Leased(Lease.Kind.WRITE, used.fd(), breaking, () -> files.release(used));
    }

    /**
     * The descriptor through which a file is written while there are leases, or null. A lease to write is of this
     * descriptor, and to open another one would break it for its own holder. {@link FdCache#release} ends its use.
     */
    @Nullable
    CachedFd writerOf(FileHandle file) {
        return held.isEmpty() ? null : files.find(file, OpenAccess.WRITE);
    }

    private synchronized void begin(Leased lease) {
        if (closed) {
            lease.close();
            return;
        }
        held.add(lease);
        if (thread == null) {
            thread = Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("warpnfs-leases").factory());
            var _ = Repeated.afterPauses(thread, Duration.ofMillis(POLL_MILLIS), this::poll);
        }
    }

    private synchronized void ended(Leased lease) {
        held.remove(lease);
        if (closed) {
            endThreadIfIdle();
        }
    }

    private synchronized void endThreadIfIdle() {
        if (held.isEmpty() && thread != null) {
            thread.shutdown();
            thread = null;
        }
    }

    private void poll() {
        held.forEach(Leased::look);
        // Not when the last one ends: the next may follow at once, and a thread costs more than a lease.
        endThreadIfIdle();
    }

    /** The kernel's time, less what may pass until this process sees a break. With 0 the kernel waits for ever. */
    static Duration breakTime(Path setting) {
        try {
            long seconds = Long.parseLong(Files.readString(setting).strip());
            Duration time = seconds > 0 ? Duration.ofSeconds(seconds) : USUAL_BREAK_TIME;
            return time.minusMillis(2 * POLL_MILLIS);
        } catch (IOException | NumberFormatException e) {
            LOG.debug("the kernel's time for leases is not known", e);
            return USUAL_BREAK_TIME;
        }
    }

    /**
     * Releases all leases. Returns when no thread asks the kernel about one any more or is about to release one: their
     * descriptors are closed next, and the numbers of these may then be those of other files.
     */
    void close() {
        synchronized (this) {
            closed = true;
        }
        List<Leased> all = List.copyOf(held);
        all.forEach(Leased::close);
        all.forEach(lease -> Uninterruptibles.awaitUninterruptibly(lease.released));
        endThreadIfIdle();
    }

    private final class Leased implements Lease {
        private final Kind kind;
        private final Fd fd;
        private final Runnable breaking;
        private final Runnable giveBack;
        private final UseCount users = new UseCount();
        private final CountDownLatch released = new CountDownLatch(1);
        private boolean told;

        Leased(Kind kind, Fd fd, Runnable breaking, Runnable giveBack) {
            this.kind = kind;
            this.fd = fd;
            this.breaking = breaking;
            this.giveBack = giveBack;
        }

        @Override
        public Kind kind() {
            return kind;
        }

        @Override
        public Duration breakTime() {
            return BREAK_TIME;
        }

        boolean isExclusive() {
            return kind == Kind.WRITE;
        }

        /** Asks the kernel whether somebody waits. Called by one thread alone. */
        void look() {
            if (told || !users.enter()) {
                return;
            }
            try {
                told = question.isBreaking(fd, isExclusive());
            } catch (ErrnoException e) {
                LOG.debug("a lease is lost: errno {}", e.errno());
                told = true;
            } finally {
                if (users.leave()) {
                    release();
                }
            }
            if (told) {
                tell();
            }
        }

        private void tell() {
            try {
                breaking.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a lease breaks and its holder fails: a defect of this server", e);
            }
        }

        @Override
        public void close() {
            if (users.close()) {
                release();
            }
        }

        private void release() {
            try {
                LockCalls.endLease(fd);
            } catch (ErrnoException e) {
                LOG.debug("a lease had ended: errno {}", e.errno());
            } finally {
                ended(this);
                released.countDown();
            }
            giveBack.run();
        }
    }
}
