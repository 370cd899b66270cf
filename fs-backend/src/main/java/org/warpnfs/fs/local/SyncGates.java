package org.warpnfs.fs.local;

import java.util.HashMap;
import java.util.Map;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.keys.KeyedHash;

/**
 * The gates of all files and directories that are open for syncing. Each inode has one gate, whatever name or
 * descriptor leads to it. A gate exists as long as somebody holds it together with a descriptor, so that its inode
 * number cannot become another file's. Safe for many threads.
 */
final class SyncGates {
    private final SyncGate.SyncCall call;
    private final SyncGate.Announcement announcement;
    private final SyncWaits waits;
    private final Map<Inode, Held> gates = new HashMap<>();

    SyncGates(SyncGate.SyncCall call, SyncGate.Announcement announcement, SyncWaits waits) {
        this.call = call;
        this.waits = waits;
        this.announcement = announcement;
    }

    /** The gate of an open file. It must be given back with {@link Hold#close} before the file is closed. */
    synchronized Hold hold(Statx statx) {
        Inode inode = new Inode(statx.fileSystemDevice(), statx.inode());
        Held held = gates.computeIfAbsent(
                inode, key -> new Held(new SyncGate(SyncGate.Scope.FILE, call, announcement, waits)));
        held.holders++;
        return new Hold(inode, held.gate);
    }

    synchronized int size() {
        return gates.size();
    }

    private synchronized void release(Inode inode) {
        Held held = gates.get(inode);
        if (held != null && --held.holders == 0) {
            gates.remove(inode);
        }
    }

    private record Inode(long device, long number) {
        @Override
        public int hashCode() {
            return KeyedHash.of(device, number);
        }
    }

    private static final class Held {
        private final SyncGate gate;
        private int holders;

        Held(SyncGate gate) {
            this.gate = gate;
        }
    }

    /** A reference to a gate. */
    final class Hold implements AutoCloseable {
        private final Inode inode;
        private final SyncGate gate;
        private boolean closed;

        private Hold(Inode inode, SyncGate gate) {
            this.inode = inode;
            this.gate = gate;
        }

        SyncGate gate() {
            return gate;
        }

        @Override
        public void close() {
            synchronized (SyncGates.this) {
                if (!closed) {
                    closed = true;
                    release(inode);
                }
            }
        }
    }
}
