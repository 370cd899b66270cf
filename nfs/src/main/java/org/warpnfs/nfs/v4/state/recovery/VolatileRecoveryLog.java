package org.warpnfs.nfs.v4.state.recovery;

import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** A log without memory, for a server whose files do not survive a restart either: there is nothing to reclaim. */
public final class VolatileRecoveryLog implements RecoveryLog {
    private static final int IDENTITY_BYTES = 16;

    private final int instance;
    private final byte[] identity = new byte[IDENTITY_BYTES];

    public VolatileRecoveryLog() {
        SecureRandom random = new SecureRandom();
        // Never 0 or -1, and very probably another number than that of the last run.
        this.instance = 1 + random.nextInt(Integer.MAX_VALUE - 1);
        random.nextBytes(identity);
    }

    @Override
    public int instance() {
        return instance;
    }

    @Override
    public byte[] serverIdentity() {
        return identity.clone();
    }

    @Override
    public Set<Opaque> reclaimers() {
        return Set.of();
    }

    @Override
    public void write(List<Change> changes) {
        // Nothing is recorded.
    }

    @Override
    public void close() {
        // There is nothing to release.
    }
}
