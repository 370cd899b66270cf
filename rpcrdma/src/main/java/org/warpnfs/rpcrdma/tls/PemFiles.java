package org.warpnfs.rpcrdma.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys in PEM (RFC 7468). */
public final class PemFiles {
    /** Far more than a bundle of all public authorities has. */
    private static final int MAX_BYTES = 4 << 20;

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*+)-----END \\1-----");

    /** The kinds of keys that TLS 1.3 can use (RFC 8446, section 4.2.3). */
    private static final List<String> KINDS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    private PemFiles() {}

    /** All certificates of a file in their order, at least one. */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        String text = text(file);
        if (!text.contains("-----BEGIN CERTIFICATE-----")) {
            throw new IOException(file + ": no certificate in PEM in it");
        }
        CertificateFactory factory;
        try {
            factory = CertificateFactory.getInstance("X.509");
        } catch (CertificateException e) {
            throw new IllegalStateException("every JDK has X.509", e);
        }
        Matcher blocks = BLOCK.matcher(text);
        List<X509Certificate> found = new ArrayList<>();
        while (blocks.find()) {
            if (blocks.group(1).equals("CERTIFICATE")) {
                try {
                    found.add((X509Certificate)
                            factory.generateCertificate(new ByteArrayInputStream(decoded(blocks.group(2)))));
                } catch (CertificateException | IllegalArgumentException e) {
                    throw new IOException(
                            file + ": certificate " + (found.size() + 1) + " is malformed: " + e.getMessage(), e);
                }
            }
        }
        if (found.isEmpty()) {
            throw new IOException(file + ": a certificate in it is cut off");
        }
        return found;
    }

    /** The key in a file that only its owner and group can read. */
    static PrivateKey key(Path file) throws IOException {
        requirePrivate(file);
        Matcher blocks = BLOCK.matcher(text(file));
        while (blocks.find()) {
            switch (blocks.group(1)) {
                case "PRIVATE KEY" -> {
                    return key(file, blocks.group(2));
                }
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" ->
                    throw new IOException(file + ": the key has the form of old versions of OpenSSL; convert it by "
                            + "openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW");
                case "ENCRYPTED PRIVATE KEY" ->
                    throw new IOException(file + ": the key needs a password, which the server cannot ask for; remove "
                            + "it by openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW");
                default -> {
                    // Parameters of a curve, or certificates beside the key.
                }
            }
        }
        throw new IOException(file + ": no private key in PEM in it");
    }

    private static PrivateKey key(Path file, String base64) throws IOException {
        byte[] encoded;
        try {
            encoded = decoded(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": the key is not Base64", e);
        }
        try {
            for (String kind : KINDS) {
                try {
                    return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(encoded));
                } catch (GeneralSecurityException e) {
                    // Another kind.
                }
            }
        } finally {
            Arrays.fill(encoded, (byte) 0);
        }
        throw new IOException(file + ": the key is malformed or of a kind that TLS 1.3 does not use; RSA, EC and "
                + "Ed25519 are supported");
    }

    private static byte[] decoded(String base64) {
        return Base64.getMimeDecoder().decode(base64);
    }

    private static void requirePrivate(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return;
        }
        try {
            if (view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_READ)) {
                throw new IOException(file + ": every user of this host can read the key; run chmod o= " + file
                        + " (a Kubernetes " + "Secret needs defaultMode: 0440)");
            }
        } catch (FileSystemException e) {
            throw unreadable(file, e);
        }
    }

    private static String text(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        } catch (FileSystemException e) {
            throw unreadable(file, e);
        } catch (IOException e) {
            throw new IOException(file + ": cannot be read: " + e.getMessage(), e);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IOException(file + ": longer than " + MAX_BYTES + " bytes");
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static IOException unreadable(Path file, FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return new IOException(file + ": there is no such file", e);
        }
        return new IOException(
                file + ": cannot be read: " + (e.getReason() == null ? "no permission" : e.getReason()), e);
    }
}
