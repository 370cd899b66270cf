package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
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

    /**
     * Encrypts a message (GSS_Wrap with confidentiality).
     *
     * @param message its pieces; read to their ends
     * @param lengthBytes of all pieces
     * @param headroomBytes unused bytes before the token
     * @return a buffer on the heap, from position 0 to the token's end, with room for padding behind it
     */
    ByteBuffer wrap(List<ByteBuffer> message, int lengthBytes, int headroomBytes) throws GSSException;

    /**
     * Decrypts a message (GSS_Unwrap).
     *
     * @param token must not be used any more: it may be decrypted in place
     * @throws GSSException also if the message was not encrypted
     */
    ByteBuffer unwrap(byte[] token) throws GSSException;

    /** Forgets the keys. */
    void dispose();
}
