package org.warpnfs.fs.ceph;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.Inode;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.LeaseCalls;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * The mount in use. If the cluster ends it (it blocklists a client that did not answer for long, or that an
 * administrator evicted), data that were not written yet are lost: the verifier changes at once, and a thread mounts
 * again until that succeeds. Meanwhile calls get TRY_LATER.
 *
 * <p>Safe for many threads.
 */
final class Mounts {
    private static final Logger LOG = LoggerFactory.getLogger(Mounts.class);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);
    /** How long an end of the mount that writes what is left is waited for. */
    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    private static final String MOUNT_TIMEOUT_SECONDS = "20";
    private static final int MIN_LEASE_SECONDS = 4;
    /** Calls of this gateway for a file wait too while a lease on it is to end. */
    private static final int MAX_LEASE_SECONDS = 30;

    private final CephOptions options;
    private final Patience patience;
    private final AtomicLong verifier = new AtomicLong(new SecureRandom().nextLong());
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile @Nullable Mounted current;
    private volatile Consumer<Mounted> afterEnd = _ -> {};
    private volatile FirstUse beforeUse = _ -> {};
    private final Watch watch = new Watch(() -> current, this::lost);
    /** One permit for each mount that has to be replaced. The thread is there before: later there may be none left. */
    private final Semaphore replacements = new Semaphore(0);

    private boolean closed;
    private @Nullable Mount lastMount;

    Mounts(CephOptions options, Patience patience) {
        this.options = options;
        this.patience = patience;
    }

    /** Sets what lets go of a mount that the cluster has ended. It may wait. */
    void afterEnd(Consumer<Mounted> leave) {
        afterEnd = leave;
    }

    /** What is done with a new mount, before others use it. */
    @FunctionalInterface
    interface FirstUse {
        /**
         * Uses a mount that nobody else uses yet.
         *
         * @throws CephException the mount is of no use, and is not used any more or soon will not be
         */
        void of(Mounted again) throws CephException;
    }

    /** Sets what is done with a mount that replaces another, before others use it. */
    void beforeUse(FirstUse first) {
        beforeUse = first;
    }

    /**
     * Mounts for the first time.
     *
     * @throws BackendException with what an administrator can do
     */
    void open() throws BackendException {
        try {
            current = mount();
        } catch (CephException e) {
            throw BackendException.ofSource(why(e), e);
        }
        Thread.ofPlatform().daemon().name("ceph-mount").start(this::replaceLost);
        watch.begin(patience.between());
    }

    private String why(CephException e) {
        String cluster = "the cluster of " + options.configuration();
        return switch (e.errno()) {
            case CephErrno.ENOENT ->
                "there is no directory " + options.directory() + ", no file system of that name, no " + "user client."
                        + options.id() + " with a key, or no file " + options.configuration();
            case CephErrno.EACCES, CephErrno.EPERM ->
                cluster + " refuses client." + options.id() + ": its key is wrong, or its capabilities do not reach "
                        + options.directory();
            case CephErrno.ETIMEDOUT -> cluster + " does not answer within " + MOUNT_TIMEOUT_SECONDS + " s";
            case CephErrno.ENOTDIR -> options.directory() + " is not a directory";
            default -> cluster + " cannot be mounted: " + e.getMessage();
        };
    }

    private Mounted mount() throws CephException {
        Mount mount = Mount.create(options.id());
        boolean done = false;
        try {
            mount.readConfiguration(options.configuration().toString());
            mount.set("client_mount_timeout", MOUNT_TIMEOUT_SECONDS);
            // The lists that others made decide access here too, and new files inherit them.
            mount.set("client_acl_type", "posix_acl");
            mount.set("client_permissions", "true");
            // Numbers of inodes are what handles consist of.
            mount.set("client_use_faked_inos", "false");
            // It would try once whether the user may write to a pool, by a write that waits while the pool is full, and
            // reads would wait for that.
            mount.set("client_check_pool_perm", "false");
            if (options.fileSystem() != null) {
                mount.selectFileSystem(options.fileSystem());
            }
            takeOver(mount);
            mount.mount(options.directory().getBytes(StandardCharsets.UTF_8));
            // Clients have applied theirs.
            mount.setUmask(0);
            Inode root = InodeCalls.root(mount);
            CephStatx statx = InodeCalls.attributes(mount, root, CephStatx.IDENTITY);
            Handles.Named rootName = new Handles.Named((int) mount.fileSystemNumber(), statx.inode(), statx.snapshot());
            int descriptor = openRoot(mount);
            done = true;
            return new Mounted(
                    mount,
                    root,
                    rootName,
                    descriptor,
                    allowLeases(mount),
                    new CallWaits(patience),
                    () -> end(mount, root));
        } finally {
            if (!done) {
                mount.abort();
                mount.release();
            }
        }
    }

    /** Ends what an earlier process of this server has left, so that it locks and keeps nobody waiting any more. */
    private void takeOver(Mount mount) throws CephException {
        String name = options.name();
        if (name == null) {
            return;
        }
        mount.initialize();
        CountDownLatch answered = new CountDownLatch(1);
        start("ceph-start", () -> tellOfWait(answered));
        try {
            mount.replace(name);
        } catch (CephException e) {
            LOG.warn("what an earlier process had in Ceph stays until the cluster ends it: {}", e.getMessage());
        } finally {
            answered.countDown();
        }
        mount.setName(name);
    }

    /** The library waits for the metadata servers without a limit, and a server that starts is not watched yet. */
    private void tellOfWait(CountDownLatch answered) {
        try {
            if (!answered.await(patience.slow().toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.warn(
                        "a metadata server of Ceph does not answer: the mount of {} waits for it", options.directory());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns a descriptor, or {@link Mounted#NO_DESCRIPTOR} if the user of this process may not read the directory.
     */
    private static int openRoot(Mount mount) throws CephException {
        try {
            return mount.openRoot();
        } catch (CephException e) {
            if (e.errno() == CephErrno.EACCES) {
                return Mounted.NO_DESCRIPTOR;
            }
            throw e;
        }
    }

    /** Returns for how many seconds a lease may be kept that has to end; 0 if there can be none. */
    private static int allowLeases(Mount mount) {
        int seconds = Math.min(LeaseCalls.returnTimeoutSeconds(mount) / 2, MAX_LEASE_SECONDS);
        try {
            if (seconds >= MIN_LEASE_SECONDS) {
                // The library ends the mount after this time.
                LeaseCalls.allow(mount, seconds + seconds / 2);
                return seconds;
            }
        } catch (CephException e) {
            LOG.debug("Ceph allows no leases", e);
        }
        return 0;
    }

    private void end(Mount mount, Inode root) {
        start("ceph-unmount", () -> {
            boolean isLast = isLast(mount);
            if (isLast) {
                InodeCalls.put(mount, root);
                mount.unmount();
            } else {
                mount.abort();
            }
            mount.release();
            if (isLast) {
                ended.countDown();
            }
        });
    }

    /** True of the mount that was in use when this was closed: one that the cluster has ended may end later. */
    private synchronized boolean isLast(Mount mount) {
        return lastMount == mount;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Begins a use of the mount, which the caller {@linkplain Mounted#leave leaves}.
     *
     * @throws FsException TRY_LATER if there is none now
     */
    Mounted enter() throws FsException {
        Mounted mounted = current;
        if (mounted == null) {
            throw FsException.of(FsError.TRY_LATER, "Ceph is not mounted now");
        }
        mounted.enter();
        return mounted;
    }

    boolean isCurrent(Mounted mounted) {
        return current == mounted;
    }

    /** What an administrator has to know: a sentence without its full stop. */
    Optional<String> fault() {
        Mounted mounted = current;
        return mounted == null
                ? Optional.of("Ceph has ended the mount, and it cannot be mounted again yet")
                : mounted.waits().fault();
    }

    long verifier() {
        return verifier.get();
    }

    /** Data that were written may have been lost. */
    void dataMayBeLost() {
        verifier.incrementAndGet();
    }

    /** True if a call has failed because the cluster has ended its mount. May ask the metadata server. */
    boolean isLost(Mounted mounted, CephException e) {
        if (Failure.isRefusedSession(e)) {
            try {
                mounted.requireKept();
                return false;
            } catch (CephException _) {
                return true;
            }
        }
        return Failure.isLostMount(e);
    }

    /** What a call in this mount ends with that has failed. A mount that the cluster has ended is replaced. */
    FsException failure(Mounted mounted, CephException e) {
        if (isLost(mounted, e)) {
            lost(mounted);
            return FsException.of(FsError.TRY_LATER, "Ceph has ended the mount");
        }
        return Failure.of(e);
    }

    /** The cluster has ended this mount, or it has to end. Returns at once; a thread mounts again. */
    void lost(Mounted mounted) {
        synchronized (this) {
            if (current != mounted || closed) {
                return;
            }
            // In this order: whoever gets the new verifier must not write through the mount that is over.
            current = null;
            dataMayBeLost();
            replacements.release();
        }
        LOG.warn(
                "Ceph has ended the mount of {} by client {}: mounting again",
                options.directory(),
                mounted.mount().clientNumber());
        mounted.leave();
        // A daemon that does not answer can hold up the end of the old mount, which must not hold up the new one.
        start("ceph-leave", () -> afterEnd.accept(mounted));
    }

    /**
     * Starts what is done beside a mount. Without it the memory of a mount that is over stays taken, or a line is
     * missing in the log, and no more.
     */
    private static void start(String name, Runnable task) {
        try {
            Thread.ofPlatform().daemon().name(name).start(task);
        } catch (OutOfMemoryError e) {
            LOG.error("there is no thread {} for a mount of Ceph", name, e);
        }
    }

    private void replaceLost() {
        while (!isClosed()) {
            replacements.acquireUninterruptibly();
            mountAgain();
        }
    }

    private void mountAgain() {
        while (!isClosed()) {
            try {
                use(mount());
                return;
            } catch (CephException e) {
                LOG.debug("Ceph cannot be mounted yet: {}", why(e));
            } catch (RuntimeException | Error e) {
                LOG.error("Ceph cannot be mounted again: a defect of this server", e);
            }
            try {
                Thread.sleep(BETWEEN_ATTEMPTS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Makes a new mount the one in use, or ends it. */
    private void use(Mounted again) throws CephException {
        boolean used = false;
        try {
            beforeUse.of(again);
            synchronized (this) {
                if (!closed) {
                    current = again;
                    used = true;
                }
            }
        } finally {
            if (!used) {
                again.leave();
            }
        }
        if (used) {
            LOG.info("Ceph is mounted again at {}", options.directory());
        }
    }

    /** Ends the mount once no call uses it. Waits until what was written is at the cluster, but not for ever. */
    void close() {
        if (startClosing()) {
            awaitEnd();
        }
    }

    private void awaitEnd() {
        try {
            if (!ended.await(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the mount of {} is still being ended after {} s", options.directory(), END_LIMIT.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Does the same as {@link #close}, but waits for nothing. Returns whether there is a mount to be ended. */
    boolean startClosing() {
        Mounted last;
        synchronized (this) {
            if (closed) {
                return false;
            }
            closed = true;
            last = current;
            lastMount = last == null ? null : last.mount();
            current = null;
            replacements.release();
        }
        watch.end();
        if (last == null) {
            return false;
        }
        last.leave();
        return true;
    }
}
