package org.warpnfs.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificates and keys for tests. They protect nothing.
 *
 * <p>{@code authority} has issued {@code server} and {@code server2} (server.lab, localhost), {@code client}
 * (client.lab, common name "client one"), all valid until 2126, and {@code expired-server} and {@code expired-client},
 * which were valid in 2019. {@code stranger-authority} has issued {@code stranger} (client.lab). {@code old-form.key}
 * is the key of {@code server} as old versions of OpenSSL wrote it.
 */
public final class TlsFiles {
    private static final char[] NO_PASSWORD = new char[0];

    private TlsFiles() {}

    /** Copies a file, such as {@code server.key}, to a directory. Only its owner can read it. */
    public static Path copy(Path directory, String name) {
        try {
            Path file = directory.resolve(name);
            Files.write(file, bytes(name));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream in = TlsFiles.class.getResourceAsStream("tls/" + name)) {
            if (in == null) {
                throw new IOException("there is no " + name);
            }
            return in.readAllBytes();
        }
    }

    /** The first certificate of a file. */
    public static Certificate certificate(String name) {
        try (InputStream in = TlsFiles.class.getResourceAsStream("tls/" + name + ".crt")) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PrivateKey key(String name) throws IOException, GeneralSecurityException {
        String text = new String(bytes(name + ".key"), StandardCharsets.US_ASCII).replaceAll("-----[^-]*-----", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text)));
    }

    /**
     * A client that believes {@code authority}, and offers TLS as the JDK does.
     *
     * @param name the certificate that it shows, whatever the server asks for; null for none
     */
    public static SSLContext client(@Nullable String name) {
        try {
            KeyStore believed = store();
            believed.setCertificateEntry("authority", certificate("authority"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(believed);
            KeyManager[] shown = {};
            if (name != null) {
                KeyStore own = store();
                own.setKeyEntry(name, key(name), NO_PASSWORD, new Certificate[] {certificate(name)});
                KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
                keys.init(own, NO_PASSWORD);
                shown = new KeyManager[] {new Stubborn((X509ExtendedKeyManager) keys.getKeyManagers()[0], name)};
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyStore store() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /** Shows its certificate even to a server that would not believe its issuer. */
    private static final class Stubborn extends X509ExtendedKeyManager {
        private final X509ExtendedKeyManager keys;
        private final String name;

        Stubborn(X509ExtendedKeyManager keys, String name) {
            this.keys = keys;
            this.name = name;
        }

        private String alias() {
            return keys.getClientAliases("EC", null) == null ? name : keys.getClientAliases("EC", null)[0];
        }

        @Override
        public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
            return new String[] {alias()};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return alias();
        }

        @Override
        public String chooseEngineClientAlias(
                String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return alias();
        }

        @Override
        public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return keys.getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return keys.getPrivateKey(alias);
        }
    }
}
