package org.warpnfs.nfs.v4.state.recovery;

import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** For a server whose files do not outlive it either: nothing to reclaim. */
public final class VolatileRecoveryLog implements RecoveryLog {
    private static final int IDENTITY_BYTES = 16;

    private final int instance;
    private final byte[] identity = new byte[IDENTITY_BYTES];

    public VolatileRecoveryLog() {
        SecureRandom random = new SecureRandom();
        // Not 0 and not -1, and unlike the instance before.
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
        // Forgotten on purpose.
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
