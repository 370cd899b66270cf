package org.warpnfs.nfs.v3;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.warpnfs.fs.spi.FsException;

/**
 * One procedure of RFC 1813, section 3.3. Stateless; safe for any thread.
 *
 * @param <A> its arguments; equal for equal calls
 */
interface Nfs3Procedure<A> {
    /** Reads the arguments in whole, before anything is done: what is cut short does nothing. */
    A decode(XdrDecodingStream xdr) throws IOException;

    /** Does it. */
    Nfs3Reply run(Nfs3Call call, A args) throws FsException, Nfs3Exception;

    /** What stands behind a status other than NFS3_OK. */
    Nfs3Reply.Body failed(Nfs3Call call, A args);

    /** Payload memory that it needs before it begins; 0 if none. */
    default int payloadBytes(A args, Nfs3Options options) {
        return 0;
    }

    /**
     * True if doing it twice is not as doing it once: a repeated call is then answered from memory. The reply of such a
     * procedure carries no payload, and it needs none.
     */
    default boolean isRemembered() {
        return false;
    }

    /**
     * True if, of those that are remembered, doing it twice is as doing it once unless others change the file in
     * between.
     */
    default boolean isRepeatable() {
        return false;
    }

    /** Tells calls apart that have everything else in common; equal for equal arguments. */
    default long checksum(A args) {
        return args.hashCode();
    }
}
