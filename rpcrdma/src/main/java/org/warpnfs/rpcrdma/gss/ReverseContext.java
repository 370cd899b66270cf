package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.ietf.jgss.GSSException;

/**
 * A context for calls of the server to the client that made it. Its keys are those of the client's calls, and this end
 * is the acceptor in both directions. Its numbers are its own (RFC 8881, section 18.36.3). Safe for any thread.
 */
public final class ReverseContext {
    private final GssContext context;
    private final String owner;
    private final LongSupplier remainingNanos;

    ReverseContext(GssContext context, String owner, LongSupplier remainingNanos) {
        this.context = context;
        this.owner = owner;
        this.remainingNanos = remainingNanos;
    }

    /** The principal of the client. */
    public String owner() {
        return owner;
    }

    /** How much longer the context lives; 0 if it has ended. */
    public long remainingNanos() {
        return remainingNanos.getAsLong();
    }

    /** The number of the next call. No two calls of a context have the same. */
    public int nextNumber() {
        return context.nextReverseNumber();
    }

    /** The checksum of a message of the server. */
    public byte[] mic(byte[] message) throws GSSException {
        return context.security().mic(message);
    }

    /** Verifies a checksum of the client. */
    public void verifyMic(byte[] token, byte[] message) throws GSSException {
        context.security().verifyMic(token, message);
    }

    /** Encrypts a message of the server. */
    public byte[] wrap(byte[] message) throws GSSException {
        ByteBuffer token = context.security().wrap(List.of(ByteBuffer.wrap(message)), message.length, 0);
        byte[] bytes = new byte[token.remaining()];
        token.get(bytes);
        return bytes;
    }

    /**
     * Decrypts a message of the client.
     *
     * @param token must not be used any more
     */
    public ByteBuffer unwrap(byte[] token) throws GSSException {
        return context.security().unwrap(token);
    }
}
