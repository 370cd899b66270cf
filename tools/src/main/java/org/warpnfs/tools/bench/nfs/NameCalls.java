package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Calls on the names of one directory of a session.
 *
 * <p>{@link #makeDirectory} and {@link #removeDirectory} make calls and wait. The others are encoded and decoded by
 * slot, as those of {@link NfsSession} are, and under its rules.
 */
public interface NameCalls {
    /**
     * Where a listing goes on.
     *
     * @param cookie of the last entry; 0 at the beginning
     * @param verifier that came with it
     * @param entries that the reply brought
     * @param end whether there are no more
     */
    record Position(long cookie, long verifier, int entries, boolean end) {
        public static final Position BEGIN = new Position(0, 0, 0, false);
    }

    /** Bytes of a listing's reply at most. */
    int LIST_BYTES = 16 << 10;

    /** Makes the directory that the calls are about. */
    void makeDirectory(String name) throws IOException;

    /** Removes it; it must be empty. */
    void removeDirectory() throws IOException;

    /** Encodes what makes a file that is not there, and leaves it closed. */
    RpcMessage createCall(int slot, String name);

    /** Decodes its reply: the file's handle. */
    byte[] createReply(XdrStream reply) throws IOException;

    /** Encodes a GETATTR of what stat(2) asks for. */
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
