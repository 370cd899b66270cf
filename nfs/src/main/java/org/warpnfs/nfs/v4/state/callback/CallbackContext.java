package org.warpnfs.nfs.v4.state.callback;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An RPCSEC_GSS context that a client has made, for calls to it (RFC 8881, section 18.36.3). Its methods throw
 * IOException if it cannot protect a call, or if a reply is not the client's. Safe for any thread.
 */
public interface CallbackContext {
    /** The client's principal, with its realm. */
    String owner();

    /** How much longer the context lives; 0 if it has ended. */
    long remainingNanos();

    /** Notes that the client does not take calls with it any more: it has ended, as far as calls are concerned. */
    void refused();

    /** True if the client did not take a call with it. */
    boolean isRefused();

    /** The number of the next call. No two calls of a context have the same. */
    int nextNumber();

    /** The checksum of a message of the server. */
    byte[] mic(byte[] message) throws IOException;

    /** Verifies a checksum of the client. */
    void verifyMic(byte[] token, byte[] message) throws IOException;

    /** Encrypts a message of the server. */
    byte[] wrap(byte[] message) throws IOException;

    /**
     * Decrypts a message of the client.
     *
     * @param token must not be used any more
     */
    ByteBuffer unwrap(byte[] token) throws IOException;

    /** Finds contexts. */
    interface Finder {
        /** For a server without RPCSEC_GSS. */
        Finder NONE = _ -> null;

        /** The context with this handle, which the server gave to the client; null if there is none. */
        @Nullable
        CallbackContext find(byte[] handle);
    }
}
