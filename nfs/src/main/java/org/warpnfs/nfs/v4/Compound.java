package org.warpnfs.nfs.v4;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.nfs.stats.CallOrigin;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.v4.op.CompoundOrigin;
import org.warpnfs.nfs.v4.op.Effect;
import org.warpnfs.nfs.v4.op.Nfs4Services;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * COMPOUND (RFC 8881, section 16.2): operations one after the other until one fails.
 *
 * <pre>
 *   call   utf8str_cs tag, uint32 minorversion, nfs_argop4 argarray&lt;&gt;
 *   reply  nfsstat4 status, utf8str_cs tag, nfs_resop4 resarray&lt;&gt;
 * </pre>
 *
 * The tag comes back byte by byte. The status is that of the last operation that was executed, which is the last in the
 * reply. How the operations are executed: {@link CompoundRun}.
 */
final class Compound {
    static final int LAST_MINOR_VERSION = 2;

    private final Nfs4Services services;
    private final CompoundMeters meters;

    Compound(Nfs4Services services, CompoundMeters meters) {
        this.services = services;
        this.meters = meters;
    }

    /**
     * What stands before the operations.
     *
     * @param operationCount not checked against what remains: the first operation that is not there is the one that
     *     fails
     */
    record Header(Opaque tag, long minorVersion, long operationCount) {
        /** BADXDR if there is not even a COMPOUND around the operations. */
        static Header decode(CompoundReader in) throws Nfs4Exception {
            return new Header(Opaque.decode(in), in.uint32(), in.uint32());
        }

        /** The reply of a COMPOUND that was not begun. */
        void refuse(Nfs4Status status, CompoundWriter out) {
            out.int32(status.code());
            tag.encode(out);
            out.int32(0);
        }
    }

    /**
     * What is left to do.
     *
     * @param connectionBound the back channel of the caller's connection has to be tried once the reply is on its way
     * @param confirmed a client whose callback address has to be tried then
     * @param effect what doing the whole again would be
     */
    record Executed(boolean connectionBound, @Nullable Client confirmed, Effect effect) {}

    /**
     * Executes the operations of a call into {@code out}, which belongs to this until {@code ended} hears. Perhaps not
     * all of them on this thread: the caller touches none of the arguments afterwards.
     *
     * @param ended runs once, where the last operation was executed; hears null of a defect, which is thrown as well,
     *     and has an empty {@code out} then
     */
    void execute(
            CallLanes lanes,
            CallOrigin origin,
            CompoundOrigin caller,
            Header header,
            CompoundReader in,
            CompoundWriter out,
            Consumer<@Nullable Executed> ended) {
        if (header.minorVersion() > LAST_MINOR_VERSION) {
            header.refuse(Nfs4Status.MINOR_VERS_MISMATCH, out);
            ended.accept(new Executed(false, null, Effect.NONE));
        } else {
            CompoundMeters.OfVersion metered = meters.of((int) header.minorVersion());
            CallTimer timer = CallTimer.begin(meters.recorder(), metered.compound(), origin);
            new CompoundRun(services, metered, timer, lanes, caller, header, in, out, ended).begin();
        }
    }
}
