package org.warpnfs.rpcrdma.gss;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The encryption types of Kerberos with AES (RFC 3962, RFC 8009).
 *
 * <pre>
 * encryption type                   | key of a usage                                         | checksum | checksum of
 * ----------------------------------+--------------------------------------------------------+----------+------------
 * 17, 18 aes*-cts-hmac-sha1-96      | AES of the folded constant, chained (RFC 3962)         | 12 bytes | plain text
 * 19     aes128-cts-hmac-sha256-128 | HMAC-SHA-256 of counter, constant, 0, bits (RFC 8009)  | 16 bytes | cipher text
 * 20     aes256-cts-hmac-sha384-192 | HMAC-SHA-384 likewise                                  | 24 bytes | cipher text
 * </pre>
 *
 * The initial vector is zero; what is encrypted begins with a random block instead.
 */
enum EncryptionType {
    AES128_SHA1(17, 16, 12, "HmacSHA1", true),
    AES256_SHA1(18, 32, 12, "HmacSHA1", true),
    AES128_SHA256(19, 16, 16, "HmacSHA256", false),
    AES256_SHA384(20, 32, 24, "HmacSHA384", false);

    static final int BLOCK_BYTES = 16;

    /** What a key of a usage is for: the last byte of its constant (RFC 3961, section 5.3). */
    enum Purpose {
        CHECKSUM(0x99),
        ENCRYPTION(0xaa),
        INTEGRITY(0x55);

        private final int code;

        Purpose(int code) {
            this.code = code;
        }
    }

    private final int code;
    private final int keyBytes;
    private final int checksumBytes;
    private final String hmac;
    private final boolean overPlainText;

    EncryptionType(int code, int keyBytes, int checksumBytes, String hmac, boolean overPlainText) {
        this.code = code;
        this.keyBytes = keyBytes;
        this.checksumBytes = checksumBytes;
        this.hmac = hmac;
        this.overPlainText = overPlainText;
    }

    /** The type of this number (RFC 3961, section 8), if a key of it has this length; null otherwise. */
    static @Nullable EncryptionType of(int code, byte[] key) {
        for (EncryptionType type : values()) {
            if (type.code == code && type.keyBytes == key.length) {
                return type;
            }
        }
        return null;
    }

    int checksumBytes() {
        return checksumBytes;
    }

    /** True if a message's checksum covers its plain text; false if it covers vector and cipher text. */
    boolean isOverPlainText() {
        return overPlainText;
    }

    /** The key of a usage (RFC 4121, section 2; RFC 4120, section 7.5.1). */
    SecretKeySpec derive(byte[] key, int usage, Purpose purpose) throws GeneralSecurityException {
        byte[] constant = {0, 0, 0, (byte) usage, (byte) purpose.code};
        if (overPlainText) {
            return new SecretKeySpec(TicketKey.chained(key, constant, keyBytes), "AES");
        }
        int lengthBytes = purpose == Purpose.ENCRYPTION ? keyBytes : checksumBytes;
        return new SecretKeySpec(TicketKey.hashed(hmac, key, constant, lengthBytes), "AES");
    }

    /** Encryption or decryption of one message with ciphertext stealing. */
    static Cipher cipher(int mode, SecretKeySpec key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/CTS/NoPadding");
        cipher.init(mode, key, new IvParameterSpec(new byte[BLOCK_BYTES]));
        return cipher;
    }

    /** The checksum of one message, to be cut to {@link #checksumBytes}. */
    Mac mac(SecretKeySpec key) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(hmac);
        mac.init(key);
        return mac;
    }

    byte[] checksum(Mac mac) {
        return Arrays.copyOf(mac.doFinal(), checksumBytes);
    }
}
