package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Decrypts tickets with the key of their service, and derives keys of other keys.
 *
 * <p>The plain text begins with a block that means nothing. The checksum is not verified: this is for tickets that the
 * JDK has verified with the same key, and only to read what it does not tell.
 */
final class TicketKey {
    private static final int BLOCK_BYTES = 16;
    /** Key usage (RFC 4120, section 7.5.1). */
    private static final int USAGE = 2;

    private TicketKey() {}

    /**
     * The plain text of a ticket.
     *
     * @return null if the encryption type is none of {@link EncryptionType}, or if key or ticket do not have its length
     */
    static byte @Nullable [] decrypt(ServiceTicket ticket, byte[] key) throws GeneralSecurityException {
        EncryptionType type = EncryptionType.of(ticket.encryptionType(), key);
        if (type == null) {
            return null;
        }
        int encryptedBytes = ticket.cipher().length - type.checksumBytes();
        if (encryptedBytes <= BLOCK_BYTES) {
            return null;
        }
        Cipher aes =
                EncryptionType.cipher(Cipher.DECRYPT_MODE, type.derive(key, USAGE, EncryptionType.Purpose.ENCRYPTION));
        byte[] open = aes.doFinal(ticket.cipher(), 0, encryptedBytes);
        return Arrays.copyOfRange(open, BLOCK_BYTES, open.length);
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
