package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.security.jgss.ExtendedGSSContext;
import com.sun.security.jgss.InquireType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.EncryptionKey;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.Oid;

/**
 * Reads tokens of either side of a captured context with its session key, as its client would: Wrap tokens with
 * encryption and MIC tokens of RFC 4121, section 4.2.6.
 *
 * <p>The code for tokens is not that of the server. That it is right, is proven by the tokens of a Linux client and of
 * knfsd.
 */
final class ClientKeys {
    private static final int HEADER_BYTES = 16;
    private static final int ACCEPTOR_SEAL = 22;
    private static final int ACCEPTOR_SIGN = 23;
    private static final int INITIATOR_SEAL = 24;
    private static final int FOR_CHECKSUMS = 0x99;
    private static final int FOR_ENCRYPTION = 0xaa;
    private static final int FOR_INTEGRITY = 0x55;

    private final int type;
    private final byte[] key;

    private ClientKeys(int type, byte[] key) {
        this.type = type;
        this.key = key;
    }

    /** Of the context that was made of this token. */
    static ClientKeys of(byte[] token, Path keytab) throws Exception {
        Map<String, String> options = Map.of(
                "useKeyTab", "true",
                "keyTab", keytab.toString(),
                "principal", "*",
                "isInitiator", "false",
                "storeKey", "true",
                "doNotPrompt", "true");
        Subject subject = new Subject();
        new LoginContext("client", subject, null, new Configuration() {
                    @Override
                    public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                        return new AppConfigurationEntry[] {
                            new AppConfigurationEntry(
                                    "com.sun.security.auth.module.Krb5LoginModule",
                                    LoginModuleControlFlag.REQUIRED,
                                    options)
                        };
                    }
                })
                .login();
        EncryptionKey session = Subject.callAs(subject, () -> {
            GSSManager manager = GSSManager.getInstance();
            GSSContext context = manager.createContext(manager.createCredential(
                    null,
                    GSSCredential.INDEFINITE_LIFETIME,
                    new Oid("1.2.840.113554.1.2.2"),
                    GSSCredential.ACCEPT_ONLY));
            context.acceptSecContext(token, 0, token.length);
            return (EncryptionKey)
                    ((ExtendedGSSContext) context).inquireSecContext(InquireType.KRB5_GET_SESSION_KEY_EX);
        });
        return new ClientKeys(session.getKeyType(), Objects.requireNonNull(session.getEncoded()));
    }

    private boolean isSha1() {
        return type == 17 || type == 18;
    }

    private String hash() {
        return isSha1() ? "HmacSHA1" : type == 19 ? "HmacSHA256" : "HmacSHA384";
    }

    private int checksumBytes() {
        return isSha1() ? 12 : type == 19 ? 16 : 24;
    }

    private byte[] derived(int usage, int kind) throws GeneralSecurityException {
        byte[] constant = {0, 0, 0, (byte) usage, (byte) kind};
        if (isSha1()) {
            return TicketKey.chained(key, constant, key.length);
        }
        int lengthBytes = kind == FOR_ENCRYPTION ? key.length : checksumBytes();
        return TicketKey.hashed(hash(), key, constant, lengthBytes);
    }

    private byte[] checksum(int usage, int kind, byte[]... parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(hash());
        mac.init(new SecretKeySpec(derived(usage, kind), "RAW"));
        for (byte[] part : parts) {
            mac.update(part);
        }
        return Arrays.copyOf(mac.doFinal(), checksumBytes());
    }

    /** True if the token is the server's checksum of the message. */
    boolean isMicOfServer(byte[] token, byte[] message) throws GeneralSecurityException {
        byte[] header = Arrays.copyOf(token, HEADER_BYTES);
        assertThat(header).startsWith(0x04, 0x04);
        return Arrays.equals(
                Arrays.copyOfRange(token, HEADER_BYTES, token.length),
                checksum(ACCEPTOR_SIGN, FOR_CHECKSUMS, message, header));
    }

    byte[] unwrapOfServer(byte[] token) throws GeneralSecurityException {
        return unwrap(token, ACCEPTOR_SEAL);
    }

    byte[] unwrapOfClient(byte[] token) throws GeneralSecurityException {
        return unwrap(token, INITIATOR_SEAL);
    }

    /**
     * A Wrap token as a client makes it.
     *
     * @param extra bytes without meaning behind the message
     * @param rotation to the right, of what follows the header
     */
    byte[] wrapOfClient(byte[] message, int extra, int rotation) throws GeneralSecurityException {
        byte[] header = ByteBuffer.allocate(HEADER_BYTES)
                .putInt(0x050402ff)
                .putShort((short) extra)
                .putShort((short) 0)
                .putLong(7)
                .array();
        byte[] clear = ByteBuffer.allocate(16 + message.length + extra + HEADER_BYTES)
                .putLong(0x1122334455667788L)
                .putLong(message.length)
                .put(message)
                .put(new byte[extra])
                .put(header)
                .array();
        Cipher aes = Cipher.getInstance("AES/CTS/NoPadding");
        aes.init(
                Cipher.ENCRYPT_MODE,
                new SecretKeySpec(derived(INITIATOR_SEAL, FOR_ENCRYPTION), "AES"),
                new IvParameterSpec(new byte[16]));
        byte[] encrypted = aes.doFinal(clear);
        byte[] sum = isSha1()
                ? checksum(INITIATOR_SEAL, FOR_INTEGRITY, clear)
                : checksum(INITIATOR_SEAL, FOR_INTEGRITY, new byte[16], encrypted);
        byte[] data = ByteBuffer.allocate(encrypted.length + sum.length)
                .put(encrypted)
                .put(sum)
                .array();
        byte[] token = Arrays.copyOf(header, HEADER_BYTES + data.length);
        ByteBuffer.wrap(token).putShort(6, (short) rotation);
        for (int at = 0; at < data.length; at++) {
            token[HEADER_BYTES + (at + rotation) % data.length] = data[at];
        }
        return token;
    }

    private byte[] unwrap(byte[] token, int usage) throws GeneralSecurityException {
        ByteBuffer in = ByteBuffer.wrap(token);
        assertThat(in.getShort()).isEqualTo((short) 0x0504);
        assertThat(in.get() & 2).as("sealed").isEqualTo(2);
        int extraBytes = in.getShort(4);
        int rotation = in.getShort(6);
        byte[] data = new byte[token.length - HEADER_BYTES];
        for (int at = 0; at < data.length; at++) {
            data[at] = token[HEADER_BYTES + Math.floorMod(at + rotation, data.length)];
        }
        int encryptedBytes = data.length - checksumBytes();
        byte[] encrypted = Arrays.copyOf(data, encryptedBytes);
        byte[] sum = Arrays.copyOfRange(data, encryptedBytes, data.length);
        byte[] vector = new byte[16];
        Cipher aes = Cipher.getInstance("AES/CTS/NoPadding");
        aes.init(
                Cipher.DECRYPT_MODE,
                new SecretKeySpec(derived(usage, FOR_ENCRYPTION), "AES"),
                new IvParameterSpec(vector));
        byte[] open = aes.doFinal(encrypted);
        assertThat(sum)
                .isEqualTo(
                        isSha1()
                                ? checksum(usage, FOR_INTEGRITY, open)
                                : checksum(usage, FOR_INTEGRITY, vector, encrypted));
        // A block of no meaning, the message, a filler, and the header as it was before the rotation.
        byte[] header = Arrays.copyOf(token, HEADER_BYTES);
        header[6] = 0;
        header[7] = 0;
        assertThat(Arrays.copyOfRange(open, open.length - HEADER_BYTES, open.length))
                .isEqualTo(header);
        return Arrays.copyOfRange(open, vector.length, open.length - HEADER_BYTES - extraBytes);
    }
}
