package org.warpnfs.rpcrdma.gss;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;
import org.ietf.jgss.GSSException;

/**
 * A context for calls of the server to the client that made it. Its keys are those of the client's calls, and this end
 * is the acceptor in both directions. Its numbers are its own (RFC 8881, section 18.36.3). Safe for any thread.
 *
 * <p>It does not keep the context: one that was destroyed, has expired or made room for others is gone, however many
 * sessions have named it. Methods that need it then throw NO_CONTEXT.
 */
public final class ReverseContext {
    private final WeakReference<GssContext> context;
    private final String owner;
    private final LongSupplier remainingNanos;

    ReverseContext(WeakReference<GssContext> context, String owner, LongSupplier remainingNanos) {
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

    /** The number of the next call. No two calls of a context have the same. 0 if it is gone, so that none is sent. */
    public int nextNumber() {
        GssContext known = context.get();
        return known == null ? 0 : known.nextReverseNumber();
    }

    private SecurityContext security() throws GSSException {
        GssContext known = context.get();
        if (known == null) {
            throw new GSSException(GSSException.NO_CONTEXT);
        }
        return known.security();
    }

    /** The checksum of a message of the server. */
    public byte[] mic(byte[] message) throws GSSException {
        return security().mic(message);
    }

    /** Verifies a checksum of the client. */
    public void verifyMic(byte[] token, byte[] message) throws GSSException {
        security().verifyMic(token, message);
    }

    /** Encrypts a message of the server. */
    public byte[] wrap(byte[] message) throws GSSException {
        ByteBuffer token = security().wrap(List.of(ByteBuffer.wrap(message)), message.length, 0);
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
        return security().unwrap(token);
    }
}
