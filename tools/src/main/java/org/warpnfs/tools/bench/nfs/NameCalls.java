package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Metadata calls on one directory of a session.
 *
 * <p>{@link #makeDirectory} and {@link #removeDirectory} make calls and wait. The other methods encode and decode the
 * calls of a slot, as in {@link NfsSession} and under its rules.
 */
public interface NameCalls {
    /**
     * The position at which a listing continues.
     *
     * @param cookie cookie of the last entry; 0 at the beginning
     * @param verifier the cookie verifier
     * @param entries number of entries in the reply
     * @param end whether there are no more
     */
    record Position(long cookie, long verifier, int entries, boolean end) {
        public static final Position BEGIN = new Position(0, 0, 0, false);
    }

    /** The largest reply of a listing, in bytes. */
    int LIST_BYTES = 16 << 10;

    /** Creates the directory for the other calls. */
    void makeDirectory(String name) throws IOException;

    /** Removes the directory, which must be empty. */
    void removeDirectory() throws IOException;

    /** Encodes the creation of a new file, which is closed afterwards. */
    RpcMessage createCall(int slot, String name);

    /** Decodes its reply and returns the file's handle. */
    byte[] createReply(XdrStream reply) throws IOException;

    /** Encodes a GETATTR of the attributes that stat(2) needs. */
    RpcMessage attributesCall(int slot, byte[] handle);

    /** Decodes its reply. */
    void attributesReply(XdrStream reply) throws IOException;

    /** Encodes a READDIR of names and file ids. */
    RpcMessage listCall(int slot, Position from);

    /** Decodes its reply. */
    Position listReply(XdrStream reply) throws IOException;

    /** Encodes a REMOVE. */
    RpcMessage removeCall(int slot, String name);

    /** Decodes its reply. */
    void removeReply(XdrStream reply) throws IOException;
}
