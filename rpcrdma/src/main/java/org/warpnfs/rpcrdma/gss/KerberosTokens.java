package org.warpnfs.rpcrdma.gss;

import static org.warpnfs.rpcrdma.gss.EncryptionType.BLOCK_BYTES;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Checksums and encrypted messages of an established context, with its key (RFC 4121, section 4.2.6).
 *
 * <pre>
 *   MIC   04 04, flags, 5 x ff, u64 number                      checksum of message and header
 *   Wrap  05 04, flags, ff, u16 extra, u16 rotation, u64 number
 *         { random block, message, extra bytes, header with rotation 0 } encrypted, checksum; rotated right
 *   flags 1 sent by the acceptor, 2 encrypted, 4 key of the acceptor
 * </pre>
 *
 * <h2>Operation</h2>
 *
 * The JDK does the same, but takes and returns whole arrays and copies each five times in between. Here a message is
 * taken in pieces, so its token is the only memory of its length. The numbers of tokens go on where those of the JDK
 * have ended. Numbers of the peer are not looked at: RFC 2203 has numbers of its own.
 *
 * <h2>Buffers</h2>
 *
 * A message is only read. A token that is unwrapped is decrypted in place.
 *
 * <h2>Errors</h2>
 *
 * GSSException if a token is not what it claims to be. Safe for any thread.
 */
final class KerberosTokens {
    private static final int HEADER_BYTES = 16;
    private static final int PIECE_BYTES = 64 << 10;
    private static final int MIC = 0x0404;
    private static final int WRAP = 0x0504;
    private static final int SENT_BY_ACCEPTOR = 1;
    private static final int ENCRYPTED = 2;
    private static final int ACCEPTORS_KEY = 4;
    private static final int FLAGS_AT = 2;
    private static final int FILLER_AT = 3;
    private static final int EXTRA_AT = 4;
    private static final int ROTATION_AT = 6;
    private static final int NUMBER_AT = 8;
    private static final byte FILLER = (byte) 0xff;
    private static final byte[] ZERO_VECTOR = new byte[BLOCK_BYTES];
    /** Without a minor status Java does not show the text of an exception. */
    private static final int NO_MINOR = -1;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final EncryptionType type;
    private final int keyFlag;
    private final AtomicLong numbers;
    private final Keys ours;
    private final Keys peers;

    /** Keys of one direction. */
    private record Keys(SecretKeySpec sign, SecretKeySpec seal, SecretKeySpec integrity) {
        static Keys of(EncryptionType type, byte[] key, int signUsage, int sealUsage) throws GeneralSecurityException {
            return new Keys(
                    type.derive(key, signUsage, EncryptionType.Purpose.CHECKSUM),
                    type.derive(key, sealUsage, EncryptionType.Purpose.ENCRYPTION),
                    type.derive(key, sealUsage, EncryptionType.Purpose.INTEGRITY));
        }
    }

    private KerberosTokens(EncryptionType type, byte[] key, int keyFlag, long firstNumber)
            throws GeneralSecurityException {
        this.type = type;
        this.keyFlag = keyFlag;
        this.numbers = new AtomicLong(firstNumber);
        this.ours = Keys.of(type, key, 23, 22);
        this.peers = Keys.of(type, key, 25, 24);
    }

    /**
     * The acceptor's end of a context.
     *
     * @param encryptionType of the key (RFC 3961, section 8)
     * @param sample the checksum of {@code message} that the JDK has made: it tells whose key it is and which numbers
     *     have been used
     * @return null if the type is none of AES, or if this class would have made another checksum
     */
    static @Nullable KerberosTokens of(int encryptionType, byte[] key, byte[] sample, byte[] message)
            throws GeneralSecurityException {
        EncryptionType type = EncryptionType.of(encryptionType, key);
        if (type == null || sample.length != HEADER_BYTES + type.checksumBytes()) {
            return null;
        }
        long number = ByteBuffer.wrap(sample).getLong(NUMBER_AT);
        KerberosTokens tokens = new KerberosTokens(type, key, sample[FLAGS_AT] & ACCEPTORS_KEY, number);
        boolean same = Arrays.equals(tokens.mic(message, 0, message.length), sample);
        // The sample is not sent.
        tokens.numbers.set(number);
        return same ? tokens : null;
    }

    private byte[] header(int kind, int flags, int filler) {
        return ByteBuffer.allocate(HEADER_BYTES)
                .putShort((short) kind)
                .put((byte) (flags | keyFlag))
                .put(FILLER)
                .putInt(filler)
                .putLong(numbers.getAndIncrement())
                .array();
    }

    byte[] mic(byte[] in, int from, int lengthBytes) throws GeneralSecurityException {
        byte[] header = header(MIC, SENT_BY_ACCEPTOR, -1);
        Mac mac = type.mac(ours.sign());
        mac.update(in, from, lengthBytes);
        mac.update(header);
        byte[] token = Arrays.copyOf(header, HEADER_BYTES + type.checksumBytes());
        System.arraycopy(type.checksum(mac), 0, token, HEADER_BYTES, type.checksumBytes());
        return token;
    }

    void verifyMic(byte[] token, byte[] message) throws GeneralSecurityException, GSSException {
        if (token.length != HEADER_BYTES + type.checksumBytes()) {
            throw defective("a checksum of " + token.length + " bytes");
        }
        requireHeader(token, MIC, 0);
        if (ByteBuffer.wrap(token).getInt(EXTRA_AT) != -1) {
            throw defective("a header with another filler");
        }
        Mac mac = type.mac(peers.sign());
        mac.update(message);
        mac.update(token, 0, HEADER_BYTES);
        requireChecksum(token, HEADER_BYTES, mac);
    }

    /**
     * Encrypts a message.
     *
     * @param message its pieces; read to their ends
     * @param lengthBytes of all pieces
     * @param headroomBytes unused bytes before the token
     * @return from position 0 to the token's end, with room for padding behind it
     */
    ByteBuffer wrap(List<ByteBuffer> message, int lengthBytes, int headroomBytes) throws GeneralSecurityException {
        byte[] header = header(WRAP, SENT_BY_ACCEPTOR | ENCRYPTED, 0);
        byte[] random = new byte[BLOCK_BYTES];
        RANDOM.nextBytes(random);
        int plainBytes = Math.addExact(lengthBytes, BLOCK_BYTES + HEADER_BYTES);
        int tokenBytes = Math.addExact(plainBytes, HEADER_BYTES + type.checksumBytes());
        byte[] to = new byte[Math.addExact(headroomBytes, XdrStream.roundUp(tokenBytes))];
        System.arraycopy(header, 0, to, headroomBytes, HEADER_BYTES);
        int from = headroomBytes + HEADER_BYTES;
        int at = from;
        Cipher cipher = EncryptionType.cipher(Cipher.ENCRYPT_MODE, ours.seal());
        Mac mac = type.mac(ours.integrity());
        List<ByteBuffer> parts = new ArrayList<>(message.size() + 2);
        parts.add(ByteBuffer.wrap(random));
        parts.addAll(message);
        parts.add(ByteBuffer.wrap(header));
        byte[] piece = new byte[Math.min(PIECE_BYTES, plainBytes)];
        int filled = 0;
        for (ByteBuffer part : parts) {
            while (part.hasRemaining()) {
                if (filled == piece.length) {
                    updateIfPlain(mac, piece, filled);
                    at += cipher.update(piece, 0, filled, to, at);
                    filled = 0;
                }
                int more = Math.min(part.remaining(), piece.length - filled);
                part.get(piece, filled, more);
                filled += more;
            }
        }
        updateIfPlain(mac, piece, filled);
        at += cipher.doFinal(piece, 0, filled, to, at);
        if (at - from != plainBytes) {
            throw new GeneralSecurityException(at - from + " bytes were encrypted, not " + plainBytes);
        }
        if (!type.isOverPlainText()) {
            mac.update(ZERO_VECTOR);
            mac.update(to, from, plainBytes);
        }
        System.arraycopy(type.checksum(mac), 0, to, at, type.checksumBytes());
        return ByteBuffer.wrap(to).limit(headroomBytes + tokenBytes);
    }

    private void updateIfPlain(Mac mac, byte[] bytes, int lengthBytes) {
        if (type.isOverPlainText()) {
            mac.update(bytes, 0, lengthBytes);
        }
    }

    /**
     * Decrypts a message in place.
     *
     * @param token must not be used any more
     * @return the message, which is a part of {@code token}
     */
    ByteBuffer unwrap(byte[] token) throws GeneralSecurityException, GSSException {
        int encryptedBytes = token.length - HEADER_BYTES - type.checksumBytes();
        if (encryptedBytes < BLOCK_BYTES + HEADER_BYTES) {
            throw defective("a message of " + token.length + " bytes");
        }
        requireHeader(token, WRAP, ENCRYPTED);
        ByteBuffer fields = ByteBuffer.wrap(token);
        int extraBytes = Short.toUnsignedInt(fields.getShort(EXTRA_AT));
        rotateLeft(token, HEADER_BYTES, Short.toUnsignedInt(fields.getShort(ROTATION_AT)));
        fields.putShort(ROTATION_AT, (short) 0);

        int end = HEADER_BYTES + encryptedBytes;
        Mac mac = type.mac(peers.integrity());
        if (!type.isOverPlainText()) {
            mac.update(ZERO_VECTOR);
            mac.update(token, HEADER_BYTES, encryptedBytes);
            requireChecksum(token, end, mac);
        }
        decrypt(token, HEADER_BYTES, end);
        if (type.isOverPlainText()) {
            mac.update(token, HEADER_BYTES, encryptedBytes);
            requireChecksum(token, end, mac);
        }
        int headerAt = end - HEADER_BYTES;
        int messageAt = HEADER_BYTES + BLOCK_BYTES;
        if (extraBytes > headerAt - messageAt
                || !Arrays.equals(token, 0, HEADER_BYTES, token, headerAt, headerAt + HEADER_BYTES)) {
            throw defective("a header that is not the one which was encrypted");
        }
        return ByteBuffer.wrap(token, messageAt, headerAt - messageAt - extraBytes)
                .slice();
    }

    /** Each piece is copied before: if it lies behind its place, the JDK 25 decrypts it wrongly. */
    private void decrypt(byte[] bytes, int from, int end) throws GeneralSecurityException {
        Cipher cipher = EncryptionType.cipher(Cipher.DECRYPT_MODE, peers.seal());
        byte[] piece = new byte[Math.min(PIECE_BYTES, end - from)];
        int at = from;
        int read = from;
        while (end - read > piece.length) {
            System.arraycopy(bytes, read, piece, 0, piece.length);
            at += cipher.update(piece, 0, piece.length, bytes, at);
            read += piece.length;
        }
        System.arraycopy(bytes, read, piece, 0, end - read);
        cipher.doFinal(piece, 0, end - read, bytes, at);
    }

    private static void rotateLeft(byte[] bytes, int from, int rotation) {
        int lengthBytes = bytes.length - from;
        int first = rotation % lengthBytes;
        if (first != 0) {
            byte[] head = Arrays.copyOfRange(bytes, from, from + first);
            System.arraycopy(bytes, from + first, bytes, from, lengthBytes - first);
            System.arraycopy(head, 0, bytes, bytes.length - first, first);
        }
    }

    private void requireHeader(byte[] token, int kind, int flags) throws GSSException {
        if (ByteBuffer.wrap(token).getShort(0) != kind || token[FILLER_AT] != FILLER) {
            throw defective("a token of another kind");
        }
        int found = token[FLAGS_AT];
        if ((found & SENT_BY_ACCEPTOR) != 0) {
            throw new GSSException(GSSException.BAD_MIC, NO_MINOR, "a token of the acceptor");
        }
        if ((found & ENCRYPTED) != flags) {
            throw new GSSException(GSSException.BAD_MIC, NO_MINOR, "a body that is not encrypted");
        }
        if ((found & ACCEPTORS_KEY) != keyFlag) {
            throw new GSSException(GSSException.BAD_MIC, NO_MINOR, "a token with another key");
        }
    }

    private void requireChecksum(byte[] token, int at, Mac mac) throws GSSException {
        byte[] claimed = Arrays.copyOfRange(token, at, at + type.checksumBytes());
        if (!MessageDigest.isEqual(type.checksum(mac), claimed)) {
            throw new GSSException(GSSException.BAD_MIC, NO_MINOR, "the checksum is another one");
        }
    }

    private static GSSException defective(String detail) {
        return new GSSException(GSSException.DEFECTIVE_TOKEN, NO_MINOR, detail);
    }
}
