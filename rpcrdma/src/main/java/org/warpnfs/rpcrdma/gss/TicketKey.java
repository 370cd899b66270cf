package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Decrypts tickets with the key of their service.
 *
 * <pre>
 * encryption type                   | key of the encryption                                  | checksum
 * ----------------------------------+--------------------------------------------------------+---------
 * 17, 18 aes*-cts-hmac-sha1-96      | AES of the folded constant, chained (RFC 3962)         | 12 bytes
 * 19     aes128-cts-hmac-sha256-128 | HMAC-SHA-256 of counter, constant, 0, bits (RFC 8009)  | 16 bytes
 * 20     aes256-cts-hmac-sha384-192 | HMAC-SHA-384 likewise                                  | 24 bytes
 * </pre>
 *
 * The plain text begins with a block that means nothing. The checksum is not verified: this is for tickets that the JDK
 * has verified with the same key, and only to read what it does not tell.
 */
final class TicketKey {
    private static final int BLOCK_BYTES = 16;
    /** The key usage of a ticket is 2 (RFC 4120, section 7.5.1); 0xAA is the constant of encryption keys. */
    private static final byte[] CONSTANT = HexFormat.of().parseHex("00000002aa");

    private TicketKey() {}

    private enum Type {
        AES128_SHA1(17, 16, 12, null),
        AES256_SHA1(18, 32, 12, null),
        AES128_SHA256(19, 16, 16, "HmacSHA256"),
        AES256_SHA384(20, 32, 24, "HmacSHA384");

        private final int code;
        private final int keyBytes;
        private final int checksumBytes;
        private final @Nullable String derivation;

        Type(int code, int keyBytes, int checksumBytes, @Nullable String derivation) {
            this.code = code;
            this.keyBytes = keyBytes;
            this.checksumBytes = checksumBytes;
            this.derivation = derivation;
        }

        static @Nullable Type of(int code) {
            for (Type type : values()) {
                if (type.code == code) {
                    return type;
                }
            }
            return null;
        }
    }

    /**
     * The plain text of a ticket.
     *
     * @return null if the encryption type is another one, or if key or ticket do not have its length
     */
    static byte @Nullable [] decrypt(ServiceTicket ticket, byte[] key) throws GeneralSecurityException {
        Type type = Type.of(ticket.encryptionType());
        if (type == null || key.length != type.keyBytes) {
            return null;
        }
        int encryptedBytes = ticket.cipher().length - type.checksumBytes;
        if (encryptedBytes <= BLOCK_BYTES) {
            return null;
        }
        Cipher aes = Cipher.getInstance("AES/CTS/NoPadding");
        aes.init(
                Cipher.DECRYPT_MODE,
                new SecretKeySpec(encryptionKey(type, key), "AES"),
                new IvParameterSpec(new byte[BLOCK_BYTES]));
        byte[] open = aes.doFinal(ticket.cipher(), 0, encryptedBytes);
        return Arrays.copyOfRange(open, BLOCK_BYTES, open.length);
    }

    private static byte[] encryptionKey(Type type, byte[] key) throws GeneralSecurityException {
        return type.derivation == null
                ? chained(key, CONSTANT, type.keyBytes)
                : hashed(type.derivation, key, CONSTANT, type.keyBytes);
    }

    /** RFC 3961, section 5.1, with AES. */
    static byte[] chained(byte[] key, byte[] constant, int derivedBytes) throws GeneralSecurityException {
        Cipher aes = Cipher.getInstance("AES/CBC/NoPadding");
        aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(new byte[BLOCK_BYTES]));
        byte[] derived = new byte[derivedBytes];
        byte[] block = folded(constant);
        for (int at = 0; at < derived.length; at += BLOCK_BYTES) {
            block = aes.doFinal(block);
            System.arraycopy(block, 0, derived, at, BLOCK_BYTES);
        }
        return derived;
    }

    /** RFC 8009, section 3. */
    static byte[] hashed(String algorithm, byte[] key, byte[] constant, int derivedBytes)
            throws GeneralSecurityException {
        Mac mac = Mac.getInstance(algorithm);
        mac.init(new SecretKeySpec(key, "RAW"));
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(1).flip());
        mac.update(constant);
        mac.update((byte) 0);
        mac.update(ByteBuffer.allocate(Integer.BYTES)
                .putInt(derivedBytes * Byte.SIZE)
                .flip());
        return Arrays.copyOf(mac.doFinal(), derivedBytes);
    }

    /**
     * n-fold to 128 bits (RFC 3961, section 5.1): copies of the value, each rotated right by 13 bits more than the one
     * before, are put in a row that both lengths divide, and its blocks are added with end-around carry.
     */
    static byte[] folded(byte[] value) {
        int valueBits = value.length * Byte.SIZE;
        int rowBytes = value.length * BLOCK_BYTES / greatestDivisor(value.length, BLOCK_BYTES);
        int[] sums = new int[BLOCK_BYTES];
        for (int bit = 0; bit < rowBytes * Byte.SIZE; bit++) {
            int from = Math.floorMod(bit % valueBits - 13 * (bit / valueBits), valueBits);
            if ((value[from / Byte.SIZE] >> (Byte.SIZE - 1 - from % Byte.SIZE) & 1) != 0) {
                sums[bit / Byte.SIZE % BLOCK_BYTES] += 1 << (Byte.SIZE - 1 - bit % Byte.SIZE);
            }
        }
        byte[] folded = new byte[BLOCK_BYTES];
        int carry = 0;
        do {
            for (int at = BLOCK_BYTES - 1; at >= 0; at--) {
                int sum = sums[at] + carry;
                folded[at] = (byte) sum;
                sums[at] = sum & 0xff;
                carry = sum >>> Byte.SIZE;
            }
        } while (carry != 0);
        return folded;
    }

    private static int greatestDivisor(int one, int other) {
        return other == 0 ? one : greatestDivisor(other, one % other);
    }
}
