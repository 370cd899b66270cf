package org.warpnfs.nfs.v4;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.nfs.stats.CallOrigin;
import org.warpnfs.nfs.stats.CallTimer;
import org.warpnfs.nfs.v4.op.CompoundOrigin;
import org.warpnfs.nfs.v4.op.Effect;
import org.warpnfs.nfs.v4.op.Nfs4Services;
import org.warpnfs.nfs.v4.state.client.Session;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * COMPOUND (RFC 8881, section 16.2): operations that are executed one after the other until one fails.
 *
 * <pre>
 *   call   utf8str_cs tag, uint32 minorversion, nfs_argop4 argarray&lt;&gt;
 *   reply  nfsstat4 status, utf8str_cs tag, nfs_resop4 resarray&lt;&gt;
 * </pre>
 *
 * The reply repeats the tag byte by byte. Its status is that of the last operation that was executed, whose result is
 * the last in the reply. {@link CompoundRun} executes the operations.
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
     * The part before the operations.
     *
     * @param operationCount not checked against what remains; if operations are missing, the first missing one fails
     */
    record Header(Opaque tag, long minorVersion, long operationCount) {
        /** Decodes the header; BADXDR if it is incomplete. */
        static Header decode(CompoundReader in) throws Nfs4Exception {
            return new Header(Opaque.decode(in), in.uint32(), in.uint32());
        }

        /** Encodes the reply of a COMPOUND of which no operation was executed. */
        void refuse(Nfs4Status status, CompoundWriter out) {
            out.int32(status.code());
            tag.encode(out);
            out.int32(0);
        }
    }

    /**
     * What remains to be done after the operations.
     *
     * @param connectionBound whether to test the back channel of the caller's connection once the reply has been sent
     * @param changed a session whose back channel has to be tested then, on all its connections, or null
     * @param confirmed a client whose callback address has to be tested then, or null
     * @param effect the effect of performing the whole COMPOUND again
     */
    record Executed(
            boolean connectionBound,
            @Nullable Session changed,
            @Nullable Client confirmed,
            Effect effect) {}

    /**
     * Executes the operations of a call into {@code out}, which must not be used until {@code ended} runs. Some may be
     * executed on other threads, so the calling code must not use any of the arguments afterwards.
     *
     * @param ended runs once, on the thread of the last operation; gets null after a defect, which is thrown as well
     *     and leaves {@code out} empty
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
            ended.accept(new Executed(false, null, null, Effect.NONE));
        } else {
            CompoundMeters.OfVersion metered = meters.of((int) header.minorVersion());
            CallTimer timer = CallTimer.begin(meters.recorder(), metered.compound(), origin);
            new CompoundRun(services, metered, timer, lanes, caller, header, in, out, ended).begin();
        }
    }
}
