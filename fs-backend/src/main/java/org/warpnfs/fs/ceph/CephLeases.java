package org.warpnfs.fs.ceph;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephErrno;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.LeaseCalls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.PosixRules;

/**
 * Leases of the cluster: another client's use of a file is held back until the lease on it is released.
 *
 * <h2>Operation</h2>
 *
 * The library tells of a break under its own lock, so a thread of this class passes it on. The library would end the
 * whole mount if a lease were not given back in time. So a lease that is not released after
 * {@link Mounted#leaseSeconds} is given back here.
 *
 * <p>The library has one holder for all of this mount's openings, so a lease to write is there only for a file that is
 * not open otherwise.
 */
final class CephLeases {
    private static final Logger LOG = LoggerFactory.getLogger(CephLeases.class);
    private static final int IDLE_SECONDS = 10;

    private final Nodes nodes;
    private final Mounts mounts;
    private final OpenFiles openFiles;
    private final Set<Leased> held = ConcurrentHashMap.newKeySet();
    /** Tells of breaks, and waits for nothing. */
    private final ScheduledThreadPoolExecutor thread = thread("ceph-leases");
    /** Gives leases back, which may wait for Ceph. */
    private final ScheduledThreadPoolExecutor ends = thread("ceph-lease-ends");

    private volatile boolean closed;

    CephLeases(Nodes nodes, Mounts mounts, OpenFiles openFiles) {
        this.nodes = nodes;
        this.mounts = mounts;
        this.openFiles = openFiles;
    }

    private static ScheduledThreadPoolExecutor thread(String name) {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(name).factory());
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /** Takes a lease, if nobody uses the file in a way that conflicts. */
    Optional<Lease> take(FileHandle file, Lease.Kind kind, Runnable breaking) throws FsException {
        if (openFiles.isKeptUnsynced(file)) {
            // The descriptor that is kept for the data counts as a writer, and a sync may wait for long.
            return Optional.empty();
        }
        return nodes.inMount(file, mounted -> {
            Node node = nodes.find(mounted, file);
            boolean good = false;
            try {
                PosixRules.requireRegular(node.type());
                if (kind == Lease.Kind.WRITE) {
                    node.requireWritable();
                }
                good = mounted.leaseSeconds() > 0;
            } finally {
                if (!good) {
                    node.close();
                }
            }
            int flags = kind == Lease.Kind.WRITE ? DataCalls.O_RDWR : DataCalls.O_RDONLY;
            return good ? take(Opened.of(node, Caller.ROOT, flags), kind, breaking) : Optional.empty();
        });
    }

    private Optional<Lease> take(Opened opened, Lease.Kind kind, Runnable breaking) throws CephException {
        Leased lease = new Leased(opened, kind, breaking);
        try {
            lease.begin();
        } catch (CephException e) {
            opened.leave();
            if (e.errno() == CephErrno.EAGAIN) {
                return Optional.empty();
            }
            throw e;
        }
        held.add(lease);
        if (closed || !mounts.isCurrent(opened.mounted())) {
            lease.mustEnd();
            lease.close();
        }
        return Optional.of(lease);
    }

    /** Ends the leases of a mount that is over, which holds nobody back any more. */
    void leaveEnded(Mounted over) {
        for (Leased each : held) {
            if (each.opened.mounted() == over) {
                each.mustEnd();
                each.close();
            }
        }
    }

    /** Releases all leases. */
    void closeAll() {
        closed = true;
        held.forEach(Leased::close);
        thread.shutdown();
        ends.shutdown();
    }

    private final class Leased implements Lease {
        private final Opened opened;
        private final Kind kind;
        private final Runnable breaking;
        private final AtomicBoolean told = new AtomicBoolean();
        private final AtomicBoolean released = new AtomicBoolean();
        private volatile LeaseCalls.@Nullable Taken taken;

        Leased(Opened opened, Kind kind, Runnable breaking) {
            this.opened = opened;
            this.kind = kind;
            this.breaking = breaking;
        }

        void begin() throws CephException {
            taken = LeaseCalls.take(opened.mount(), opened.file(), kind == Kind.WRITE, this::mustEnd);
        }

        /** Called by the library under its lock, among others. */
        private void mustEnd() {
            if (!told.compareAndSet(false, true)) {
                return;
            }
            try {
                thread.execute(this::tell);
                var _ = ends.schedule(this::giveUp, opened.mounted().leaseSeconds(), TimeUnit.SECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("a lease was broken while the file system is closed", e);
            } catch (RuntimeException | Error e) {
                LOG.error("a lease was broken, and nobody can be told", e);
            }
        }

        private void tell() {
            try {
                breaking.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a break of a lease could not be passed on: a defect of this server", e);
            }
        }

        private void giveUp() {
            if (!released.get()) {
                LOG.warn(
                        "a lease of {} was not released within {} s, and is given back to Ceph",
                        opened.node().handle(),
                        opened.mounted().leaseSeconds());
                close();
            }
        }

        @Override
        public Kind kind() {
            return kind;
        }

        @Override
        public Duration breakTime() {
            return Duration.ofSeconds(opened.mounted().leaseSeconds());
        }

        @Override
        public void close() {
            if (released.compareAndSet(false, true)) {
                held.remove(this);
                LeaseCalls.Taken given = taken;
                if (given != null) {
                    given.giveBack();
                }
                opened.leave();
            }
        }
    }
}
