package org.warpnfs.nfs.v4.op;

import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** An operation of a COMPOUND. Stateless; safe for any thread. */
public interface Operation {
    /**
     * Decodes all arguments, executes the operation, and encodes what follows NFS4_OK in the result.
     *
     * @throws Nfs4Exception with the operation's status; whatever was encoded is taken back
     * @throws FsException with the backend's error, to be translated by {@link Statuses}
     * @throws Postponed if the operation would have to wait and {@link CallContext#mustNotWait}, or if it needs memory
     *     that was not acquired for it; it has had no effect then
     */
    void execute(CallContext call, CompoundReader in, CompoundWriter out) throws Nfs4Exception, FsException, Postponed;

    /**
     * Room that the reply must have before the operation may be executed. An operation that changes something must not
     * find out afterwards that its reply is too big.
     */
    default int leastReplyBytes() {
        return 0;
    }

    /**
     * True if executing it twice differs from executing it once, for files, for state, or for the sequence ids of
     * owners (RFC 7530, section 9.1.7). If there is no session to keep the reply, the reply cache keeps it.
     */
    default boolean isChanging() {
        return false;
    }

    /**
     * True if attributes that an earlier operation of the COMPOUND has read are good for this operation and for those
     * after it: it changes no file, and its answer may be as old as the earlier one.
     */
    default boolean keepsAttributes() {
        return false;
    }

    /**
     * True if the operation changes something, but executing it twice is the same as once unless others change the same
     * in between.
     */
    default boolean isRepeatable() {
        return false;
    }
}
