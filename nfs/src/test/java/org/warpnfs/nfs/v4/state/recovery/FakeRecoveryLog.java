package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** A recovery log in memory whose writes may fail, wait, or be watched. */
public final class FakeRecoveryLog implements RecoveryLog {
    private final List<List<Change>> writes = new ArrayList<>();
    private final Set<Opaque> present = new LinkedHashSet<>();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch gate = new CountDownLatch(1);
    private Runnable beforeEachWrite = () -> {};
    private volatile boolean shut;
    private volatile boolean full;
    private volatile Error broken;
    private volatile boolean closed;
    private volatile boolean enforced;
    private final SharedGrace shared = new SharedGrace() {
        @Override
        public boolean isEnforced(long nowNanos) {
            return enforced;
        }

        @Override
        public boolean mayReclaim(long nowNanos) {
            return true;
        }
    };

    /** The log of a server that stopped while these clients may have had state. */
    public FakeRecoveryLog(Opaque... reclaimers) {
        present.addAll(List.of(reclaimers));
    }

    public void beforeEachWrite(Runnable check) {
        beforeEachWrite = check;
    }

    /** Begins or ends a grace period of another server of the same files. */
    public void setEnforced(boolean isEnforced) {
        enforced = isEnforced;
    }

    @Override
    public SharedGrace shared() {
        return shared;
    }

    /** Makes writes wait for {@link #open} from now on. */
    public void shut() {
        shut = true;
    }

    public void open() {
        gate.countDown();
    }

    /** Counted down by the first write that has to wait. */
    public CountDownLatch entered() {
        return entered;
    }

    /** Makes writes fail with an IOException from now on, or succeed again. */
    public void setFull(boolean isFull) {
        full = isFull;
    }

    /** Makes writes throw this error from now on; null ends that. */
    public void setBroken(Error error) {
        broken = error;
    }

    /** The changes that were written, for each write. */
    public synchronized List<List<Change>> writes() {
        return List.copyOf(writes);
    }

    public List<Change> changes() {
        return writes().stream().flatMap(List::stream).toList();
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public int instance() {
        return 7;
    }

    @Override
    public byte[] serverIdentity() {
        return new byte[16];
    }

    @Override
    public synchronized Set<Opaque> reclaimers() {
        return Set.copyOf(present);
    }

    @Override
    public void write(List<Change> changes) throws IOException {
        beforeEachWrite.run();
        Error error = broken;
        if (error != null) {
            throw error;
        }
        if (full) {
            throw new IOException("no space");
        }
        if (shut) {
            entered.countDown();
            awaitGate();
        }
        note(changes);
    }

    private void awaitGate() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void note(List<Change> changes) {
        writes.add(List.copyOf(changes));
        for (Change change : changes) {
            switch (change) {
                case Change.Added added -> present.add(added.client());
                case Change.Removed removed -> present.remove(removed.client());
                case Change.GraceEnded _ -> {}
            }
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
