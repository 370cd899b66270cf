package org.warpnfs.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * One direction of a captured TLS 1.3 stream, decrypted with the traffic secrets of a key log (RFC 8446, sections 5.2
 * and 7.3). It knows the one cipher suite of the captures, TLS_AES_256_GCM_SHA384, and no KeyUpdate.
 */
final class TlsStream {
    private static final int HEADER_BYTES = 5;
    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;
    private static final int FINISHED = 20;
    private static final int KEY_UPDATE = 24;
    private static final int KEY_BYTES = 32;
    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final byte[] applicationSecret;
    private final ByteArrayOutputStream handshake = new ByteArrayOutputStream();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private boolean isFinished;
    private SecretKey key;
    private byte[] iv;
    private long sequence;

    private TlsStream(byte[] handshakeSecret, byte[] applicationSecret) throws GeneralSecurityException {
        this.applicationSecret = applicationSecret;
        key = new SecretKeySpec(expand(handshakeSecret, "key", KEY_BYTES), "AES");
        iv = expand(handshakeSecret, "iv", IV_BYTES);
    }

    /**
     * Decrypts a stream from its first record on.
     *
     * @return the application data
     * @throws CaptureFormatException if a record is not what the secrets say
     */
    static ByteBuffer decrypt(ByteBuffer records, byte[] handshakeSecret, byte[] applicationSecret) {
        try {
            TlsStream stream = new TlsStream(handshakeSecret, applicationSecret);
            while (records.remaining() >= HEADER_BYTES) {
                int bodyBytes = Short.toUnsignedInt(records.getShort(records.position() + 3));
                if (bodyBytes > records.remaining() - HEADER_BYTES) {
                    break;
                }
                byte[] header = new byte[HEADER_BYTES];
                byte[] body = new byte[bodyBytes];
                records.get(header).get(body);
                // The hello is in clear, and a ChangeCipherSpec says nothing in TLS 1.3.
                if (header[0] == APPLICATION_DATA) {
                    stream.accept(header, body);
                }
            }
            return ByteBuffer.wrap(stream.data.toByteArray());
        } catch (GeneralSecurityException e) {
            throw new CaptureFormatException("a TLS record that the key log does not decrypt: " + e);
        }
    }

    private void accept(byte[] header, byte[] body) throws GeneralSecurityException {
        byte[] nonce = iv.clone();
        for (int i = 0; i < Long.BYTES; i++) {
            nonce[IV_BYTES - 1 - i] ^= (byte) (sequence >>> (8 * i));
        }
        sequence++;
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(header);
        byte[] inner = cipher.doFinal(body);
        int end = inner.length - 1;
        while (inner[end] == 0) {
            end--;
        }
        if (inner[end] == APPLICATION_DATA) {
            data.write(inner, 0, end);
        } else if (inner[end] == HANDSHAKE) {
            handshake.write(inner, 0, end);
            readHandshake();
        }
    }

    /** Messages of a handshake may be spread over records. */
    private void readHandshake() throws GeneralSecurityException {
        ByteBuffer in = ByteBuffer.wrap(handshake.toByteArray());
        while (in.remaining() >= Integer.BYTES && (in.getInt(in.position()) & 0xff_ffff) <= in.remaining() - 4) {
            int word = in.getInt();
            in.position(in.position() + (word & 0xff_ffff));
            int type = word >>> 24;
            if (type == KEY_UPDATE) {
                throw new CaptureFormatException("a KeyUpdate");
            }
            if (type == FINISHED && !isFinished) {
                isFinished = true;
                sequence = 0;
                key = new SecretKeySpec(expand(applicationSecret, "key", KEY_BYTES), "AES");
                iv = expand(applicationSecret, "iv", IV_BYTES);
            }
        }
        handshake.reset();
        handshake.write(in.array(), in.position(), in.remaining());
    }

    /** HKDF-Expand-Label of RFC 8446, section 7.1, without a context. */
    private static byte[] expand(byte[] secret, String label, int lengthBytes) throws GeneralSecurityException {
        byte[] full = ("tls13 " + label).getBytes(StandardCharsets.US_ASCII);
        ByteBuffer info = ByteBuffer.allocate(4 + full.length)
                .putShort((short) lengthBytes)
                .put((byte) full.length)
                .put(full)
                .put((byte) 0);
        return KDF.getInstance("HKDF-SHA384")
                .deriveData(HKDFParameterSpec.expandOnly(
                        new SecretKeySpec(secret, "HKDF"), Arrays.copyOf(info.array(), info.position()), lengthBytes));
    }
}
