package org.warpnfs.rpcrdma.gss;

import java.time.Duration;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;

/**
 * The acceptor's end of a GSS-API context (RFC 2743). Once it is established, its methods are safe for several threads
 * at once.
 *
 * <p>Every method throws {@link GSSException} if a token is not what it claims to be.
 */
public interface SecurityContext {
    /**
     * Takes a token of the initiator (GSS_Accept_sec_context).
     *
     * @return the token to send back; empty if there is none
     */
    byte[] accept(byte[] token) throws GSSException;

    boolean isEstablished();

    /** The name of the initiator, when the context is established. */
    String initiator() throws GSSException;

    /**
     * How much longer the initiator's credential is valid, when the context is established (GSS_Context_time). Zero or
     * less if it has ended within the difference that is allowed between clocks.
     *
     * @return null if the mechanism does not tell
     */
    @Nullable
    Duration remaining();

    /** The checksum of a message (GSS_GetMIC). */
    default byte[] mic(byte[] message) throws GSSException {
        return mic(message, 0, message.length);
    }

    /** The checksum of a message that is a part of an array. */
    byte[] mic(byte[] in, int from, int lengthBytes) throws GSSException;

    /** Verifies the checksum of a message (GSS_VerifyMIC). */
    void verifyMic(byte[] token, byte[] message) throws GSSException;

    /** Encrypts a message (GSS_Wrap with confidentiality). */
    byte[] wrap(byte[] message) throws GSSException;

    /**
     * Decrypts a message (GSS_Unwrap).
     *
     * @throws GSSException also if the message was not encrypted
     */
    byte[] unwrap(byte[] token) throws GSSException;

    /** Forgets the keys. */
    void dispose();
}
