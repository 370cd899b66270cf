package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsException;

/**
 * A procedure of RFC 1813, section 3.3. Stateless; safe for any thread.
 *
 * @param <A> its arguments; equal for equal calls
 */
interface Nfs3Procedure<A> {
    /** Decodes all arguments before the procedure runs, so that incomplete arguments have no effect. */
    A decode(XdrDecodingStream xdr) throws IOException;

    /** Performs the procedure. */
    Nfs3Reply run(Nfs3Call call, A args) throws FsException, Nfs3Exception;

    /**
     * Performs the procedure on an event loop, if it need not wait.
     *
     * @return null if it would have to wait; it has had no effect then
     */
    default @Nullable Nfs3Reply tryRun(Nfs3Call call, A args) throws FsException, Nfs3Exception {
        return null;
    }

    /**
     * Performs the procedure without payload memory, if it can.
     *
     * @return null if it needs some; it has had no effect then
     */
    default @Nullable Nfs3Reply runWithoutMemory(Nfs3Call call, A args) throws FsException, Nfs3Exception {
        return null;
    }

    /** The result body for a status other than NFS3_OK. */
    Nfs3Reply.Body failed(Nfs3Call call, A args);

    /** Payload memory that the procedure needs before it begins; 0 if none. */
    default int payloadBytes(A args, Nfs3Options options) {
        return 0;
    }

    /**
     * True if performing it twice differs from performing it once. A repeated call is then answered from the reply
     * cache. The reply of such a procedure carries no payload, and the procedure needs no payload memory.
     */
    default boolean isRemembered() {
        return false;
    }

    /**
     * For a remembered procedure: true if performing it twice is the same as once unless the file is changed in
     * between.
     */
    default boolean isRepeatable() {
        return false;
    }

    /** A checksum that distinguishes calls with the same key otherwise; equal for equal arguments. */
    default long checksum(A args) {
        return args.hashCode();
    }
}
