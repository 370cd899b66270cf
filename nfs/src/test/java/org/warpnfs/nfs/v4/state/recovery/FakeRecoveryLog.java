package org.warpnfs.nfs.v4.state.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** A recovery log in memory, whose writing may fail, take its time, or be watched. */
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

    /** Of a server that stopped while these may have held state. */
    public FakeRecoveryLog(Opaque... reclaimers) {
        present.addAll(List.of(reclaimers));
    }

    public void beforeEachWrite(Runnable check) {
        beforeEachWrite = check;
    }

    /** From now on a write waits for {@link #open}. */
    public void shut() {
        shut = true;
    }

    public void open() {
        gate.countDown();
    }

    /** Counted down by the first write that finds it shut. */
    public CountDownLatch entered() {
        return entered;
    }

    /** From now on a write fails with an IOException, or no longer. */
    public void setFull(boolean isFull) {
        full = isFull;
    }

    /** From now on a write ends with that, or with null no longer. */
    public void setBroken(Error error) {
        broken = error;
    }

    /** What was written, each time. */
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
                case Change.Added added -> present.add(added.clientOwner());
                case Change.Removed removed -> present.remove(removed.clientOwner());
                case Change.GraceEnded _ -> {}
            }
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
