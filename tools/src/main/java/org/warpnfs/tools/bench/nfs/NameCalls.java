package org.warpnfs.tools.bench.nfs;

import com.google.errorprone.annotations.Immutable;
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

    /**
     * The form of a listing.
     *
     * @param replyBytes the largest reply
     * @param plus whether to ask for what a readdirplus of Linux needs: attributes and handles too
     */
    @Immutable
    record Listing(int replyBytes, boolean plus) {
        /** Names and file ids, 16 KiB at a time. */
        public static final Listing NAMES = new Listing(16 << 10, false);
    }

    /** Creates the directory for the other calls. */
    void makeDirectory(String name) throws IOException;

    /** Makes the other calls use a directory that exists. */
    void useDirectory(String name) throws IOException;

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

    /** Encodes a READDIR or READDIRPLUS. */
    RpcMessage listCall(int slot, Position from, Listing listing);

    /** Decodes its reply. */
    Position listReply(XdrStream reply, Listing listing) throws IOException;

    /** Encodes a REMOVE. */
    RpcMessage removeCall(int slot, String name);

    /** Decodes its reply. */
    void removeReply(XdrStream reply) throws IOException;
}
