package org.warpnfs.fs.ceph;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.Inode;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.lanes.CallOnThread;

/**
 * A mount, and how many calls and open files use it: the library would use freed memory if it were ended under them.
 * Whoever {@link #enter enters} leaves.
 */
final class Mounted {
    /** In place of one: then the metadata server is asked each time. */
    static final int NO_DESCRIPTOR = -1;

    private final Mount mount;
    private final Inode root;
    private final Handles.Named rootName;
    private final int rootDescriptor;
    /** The uses, and one for the mount being in use at all; 0 once it is over. */
    private final AtomicInteger uses = new AtomicInteger(1);

    private final AtomicBoolean asking = new AtomicBoolean();
    private final ReentrantLock removing = new ReentrantLock();
    private final int leaseSeconds;
    private final CallWaits waits;
    private final Runnable end;

    /**
     * @param rootDescriptor the mounted directory, opened, or {@link #NO_DESCRIPTOR}
     * @param leaseSeconds how long a lease may be kept that has to end; 0 if there are no leases
     * @param end ends the mount; runs when nobody uses it any more
     */
    Mounted(
            Mount mount,
            Inode root,
            Handles.Named rootName,
            int rootDescriptor,
            int leaseSeconds,
            CallWaits waits,
            Runnable end) {
        this.mount = mount;
        this.root = root;
        this.rootName = rootName;
        this.rootDescriptor = rootDescriptor;
        this.leaseSeconds = leaseSeconds;
        this.waits = waits;
        this.end = end;
    }

    Mount mount() {
        return mount;
    }

    /** The mounted directory; a reference that lives as long as the mount. */
    Inode root() {
        return root;
    }

    /** What the handle of the mounted directory names. */
    Handles.Named rootName() {
        return rootName;
    }

    /**
     * Checks after a sync whether it can be relied on. When the cluster ends a mount, the library forgets what the
     * metadata server has not yet written, and a sync that waited for that succeeds.
     *
     * @throws CephException if the cluster has ended the mount
     */
    void requireKept() throws CephException {
        if (rootDescriptor == NO_DESCRIPTOR || mount.capabilities(rootDescriptor) == 0) {
            XattrCalls.refresh(mount, root);
        }
    }

    /** Held while names are removed, which includes renames. */
    ReentrantLock removing() {
        return removing;
    }

    /** How many seconds a lease may be kept that has to end; 0 if the mount has no leases. */
    int leaseSeconds() {
        return leaseSeconds;
    }

    /** The calls that are under way. */
    CallWaits waits() {
        return waits;
    }

    /**
     * Begins a call for the client whose call this thread runs.
     *
     * @param file null if it is for no file
     * @throws FsException TRY_LATER if too many wait
     */
    CallWaits.Call begin(@Nullable FileHandle file) throws FsException {
        CallOnThread.Described call = CallOnThread.current();
        return waits.begin(call == null ? null : call.client(), file, System.nanoTime());
    }

    /** Returns true if nobody asks whether the metadata server answers; then the caller does. */
    boolean startAsking() {
        return asking.compareAndSet(false, true);
    }

    void endAsking() {
        asking.set(false);
    }

    /** The number of the file system. */
    int fileSystem() {
        return rootName.fileSystem();
    }

    /**
     * Begins a use.
     *
     * @throws FsException TRY_LATER if the mount is over
     */
    void enter() throws FsException {
        while (true) {
            int now = uses.get();
            if (now == 0) {
                throw FsException.of(FsError.TRY_LATER, "the mount of Ceph has ended");
            }
            if (uses.compareAndSet(now, now + 1)) {
                return;
            }
        }
    }

    /** Ends a use. */
    void leave() {
        if (uses.decrementAndGet() == 0) {
            end.run();
        }
    }
}
