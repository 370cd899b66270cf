package org.warpnfs.nfs.v4.op;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/**
 * Asks clients with write delegations for the attributes of their files, on behalf of one listing. It asks nobody more
 * once it has waited for a fifth of a second, or had no answer: a directory may have many such files, and their clients
 * may be slow. While many others wait for answers it asks nobody. For one thread at a time.
 */
public final class ListedAttributes {
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Nfs4Services services;
    private long leftNanos = PATIENCE_NANOS;

    /** Makes one for a listing that has asked nobody yet. */
    public ListedAttributes(Nfs4Services services) {
        this.services = services;
    }

    /**
     * The attributes of a file that a client may have changed in its cache. A delegation whose client does not answer
     * is recalled.
     *
     * @param asker the client that lists; null if it is not known
     * @return null if nobody knows them now
     */
    public @Nullable FileAttributes of(Location file, @Nullable Client asker) throws FsException {
        if (leftNanos <= 0 || !services.state().delegations().hasRoomToAsk()) {
            return null;
        }
        long began = services.clockNanos().getAsLong();
        try {
            return LatestAttributes.askedFor(services, file, asker);
        } catch (Nfs4Exception e) {
            leftNanos = 0;
            return null;
        } finally {
            leftNanos -= services.clockNanos().getAsLong() - began;
        }
    }
}
