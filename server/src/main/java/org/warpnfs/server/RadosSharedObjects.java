package org.warpnfs.server;

import java.io.IOException;
import java.util.NavigableMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.warpnfs.fs.ceph.librados.RadosClient;
import org.warpnfs.fs.ceph.librados.RadosException;
import org.warpnfs.fs.ceph.librados.RadosObjects;
import org.warpnfs.nfs.cluster.SharedObjects;

/** Objects of Ceph as a cluster of gateways wants them. After {@link #close}, which waits for calls, all calls fail. */
final class RadosSharedObjects implements SharedObjects, AutoCloseable {
    private final RadosClient client;
    private final RadosObjects objects;
    private final String pool;
    /** The library must not be called once its client has ended. */
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    private boolean closed;

    RadosSharedObjects(RadosClient client, RadosObjects objects, String pool) {
        this.client = client;
        this.objects = objects;
        this.pool = pool;
    }

    /** Where the objects are, for messages. */
    String place() {
        return "Ceph, pool " + pool;
    }

    @Override
    public NavigableMap<String, byte[]> read(String object, String prefix) throws IOException {
        use.readLock().lock();
        try {
            requireOpen();
            return objects.read(object, prefix);
        } catch (RadosException | IllegalStateException e) {
            throw failure(e);
        } finally {
            use.readLock().unlock();
        }
    }

    @Override
    public boolean change(String object, Change change) throws IOException {
        use.readLock().lock();
        try {
            requireOpen();
            return objects.change(
                    object,
                    new RadosObjects.Expected(change.expected(), change.expectedValues()),
                    change.mark(),
                    change.values(),
                    change.removed());
        } catch (RadosException e) {
            throw failure(e);
        } finally {
            use.readLock().unlock();
        }
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException(place() + ": is not used any more");
        }
    }

    private IOException failure(Exception e) {
        String more = e instanceof RadosException rados && rados.isNotSupported()
                ? " (it is erasure-coded, or no pool for values: name a replicated one by --cluster-pool)"
                : "";
        return new IOException(place() + ": " + e.getMessage() + more, e);
    }

    @Override
    public void close() {
        use.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                objects.close();
                client.close();
            }
        } finally {
            use.writeLock().unlock();
        }
    }
}
