package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.callback.CallbackSender;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.recovery.VolatileRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** Clients, files and limits for tests of a state table alone. */
final class SmallState {
    static final long LEASE = TimeUnit.SECONDS.toNanos(90);
    static final Principal ROOT = new Principal(1, 0);
    static final DelegationWant NO_WISH = new DelegationWant(DelegationWant.Kind.UNWANTED, Opaque.of(new byte[0]));
    /**
     * 6 clients, 2 sessions each, 8 in all, 2 slots; 3 opens (and open-owners) each, 8 in all; 2 lock-owners, 6 ranges
     * a client, 16 in all. One address may have half of all.
     */
    static final StateLimits LIMITS =
            new StateLimits(6, 2, 8, 2, 4096, 65536, 65536, 8, 1, 3, 8, 2, 6, 16, 1 << 20, 8, 10);

    private SmallState() {}

    static StateTable table(StateLimits limits, CallbackSender sender, long nowNanos) {
        return new StateTable(limits, LEASE, LEASE, new VolatileRecoveryLog(), sender, Runnable::run, nowNanos);
    }

    static ClientAddress address(int n) {
        return ClientAddress.of(InetAddress.ofLiteral("10.0." + (n >> 8) + "." + (n & 0xff)));
    }

    static Opaque opaque(String text) {
        return Opaque.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    static FileKey file(int n) {
        return new FileKey(1, FileHandle.of(new byte[] {(byte) n, (byte) (n >> 8)}));
    }

    static Nfs4Status statusOf(ThrowingCallable call) {
        Nfs4Exception e = catchThrowableOfType(Nfs4Exception.class, call);
        return e == null ? Nfs4Status.OK : e.status();
    }
}
