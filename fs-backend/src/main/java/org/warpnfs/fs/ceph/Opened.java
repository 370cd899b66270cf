package org.warpnfs.fs.ceph;

import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.DataCalls;
import org.warpnfs.fs.ceph.libcephfs.Fh;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;

/** A descriptor of the library with its inode and the use of its mount, and how many calls use it. */
final class Opened {
    private final Node node;
    private final Fh file;
    /** The calls, and one for it being open at all; 0 once it is over. */
    private final AtomicInteger uses = new AtomicInteger(1);

    private Opened(Node node, Fh file) {
        this.node = node;
        this.file = file;
    }

    /** Opens a file; whether the caller may is judged already. {@code flags} are those of open(2). */
    static Opened of(Nodes nodes, Mounted mounted, FileHandle handle, Caller caller, int flags)
            throws CephException, FsException {
        return of(nodes.find(mounted, handle), caller, flags);
    }

    /** Opens a file, whose node it closes. */
    static Opened of(Node node, Caller caller, int flags) throws CephException, FsException {
        boolean done = false;
        try {
            Fh file = Identity.open(node, caller, flags);
            try {
                // The use of a call is not the use of the open file.
                node.mounted().enter();
                done = true;
                return new Opened(node, file);
            } finally {
                if (!done) {
                    int _ = DataCalls.close(node.mount(), file);
                }
            }
        } finally {
            if (!done) {
                node.close();
            }
        }
    }

    Node node() {
        return node;
    }

    Fh file() {
        return file;
    }

    Mount mount() {
        return node.mount();
    }

    Mounted mounted() {
        return node.mounted();
    }

    /** Begins a use; false if it is over. */
    boolean enter() {
        return uses.getAndUpdate(now -> now == 0 ? 0 : now + 1) != 0;
    }

    /** Ends a use, or what was begun when it was opened. May wait for the cluster. */
    void leave() {
        if (uses.decrementAndGet() == 0) {
            int _ = DataCalls.close(node.mount(), file);
            node.close();
            node.mounted().leave();
        }
    }
}
