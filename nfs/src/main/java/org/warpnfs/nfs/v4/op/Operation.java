package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** One operation of a COMPOUND. Has no state of its own; safe for any thread. */
public interface Operation {
    /**
     * Decodes all arguments, executes, encodes what follows NFS4_OK in the result.
     *
     * @throws Nfs4Exception with the operation's status; whatever was encoded is taken back
     * @throws FsException with what the backend said, to be translated by {@link Statuses}
     */
    void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException;

    /**
     * How much room for the result there must be before the operation may execute: what changes something must not find
     * out afterwards that its reply is too big.
     */
    default int leastReplyBytes() {
        return 0;
    }

    /**
     * True if doing it twice is not as doing it once, be it for files, for state, or for the sequence ids of owners
     * (RFC 7530, section 9.1.7): the reply is remembered where there is no session to remember it.
     */
    default boolean isChanging() {
        return false;
    }

    /**
     * True if, although it changes something, doing it twice is as doing it once unless others change the same in
     * between.
     */
    default boolean isRepeatable() {
        return false;
    }
}
