package org.warpnfs.nfs.locks;

import java.nio.charset.StandardCharsets;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.limits.ClientAddress;

/**
 * The owner of a lock that no client of this server has: a process of the host, or another server.
 *
 * @param process its number; 0 if it is not known
 */
record HostProcess(int process) implements Locker {
    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public ClientAddress address() {
        throw new UnsupportedOperationException("it holds nothing here");
    }

    @Override
    public byte[] name() {
        return (process == 0 ? "host" : "host process " + process).getBytes(StandardCharsets.US_ASCII);
    }

    static HeldLock held(OwnerLocks.Holder holder) {
        long last = holder.last() == OwnerLocks.TO_EOF ? ByteRange.TO_EOF : holder.last();
        return new HeldLock(new HostProcess(holder.process()), holder.exclusive(), new ByteRange(holder.first(), last));
    }
}
