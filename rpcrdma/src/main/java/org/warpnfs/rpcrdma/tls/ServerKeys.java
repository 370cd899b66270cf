package org.warpnfs.rpcrdma.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server shows to its clients, and whom it believes. Immutable.
 *
 * @param chain the server's certificate, and those that it was issued by
 * @param key the private key of the first certificate
 * @param clientAuthorities issuers of clients' certificates; if there are none, clients are not asked for one
 */
public record ServerKeys(List<X509Certificate> chain, PrivateKey key, List<X509Certificate> clientAuthorities) {
    public ServerKeys {
        chain = List.copyOf(chain);
        clientAuthorities = List.copyOf(clientAuthorities);
    }

    /**
     * Reads the files, all of them in PEM.
     *
     * @param certificate the server's certificate first, then those that it was issued by
     * @param key its key in PKCS#8, without a password, which other users cannot read
     * @param clientAuthorities null if clients are not asked for a certificate
     * @throws IOException if a file cannot be used: one line that begins with its path
     */
    public static ServerKeys read(Path certificate, Path key, @Nullable Path clientAuthorities) throws IOException {
        List<X509Certificate> chain = PemFiles.certificates(certificate);
        PrivateKey secret = PemFiles.key(key);
        if (!belongTogether(chain.getFirst().getPublicKey(), secret)) {
            throw new IOException(key + ": not the key of the first certificate in " + certificate);
        }
        return new ServerKeys(
                chain, secret, clientAuthorities == null ? List.of() : PemFiles.certificates(clientAuthorities));
    }

    /** Tries the key, since there is no other way that works for every kind of key. */
    private static boolean belongTogether(PublicKey known, PrivateKey secret) {
        String algorithm =
                switch (secret.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "RSASSA-PSS" -> "RSASSA-PSS";
                    case "EC" -> "SHA256withECDSA";
                    default -> secret.getAlgorithm();
                };
        byte[] probe = {1, 2, 3, 4};
        try {
            Signature sign = Signature.getInstance(algorithm);
            sign.initSign(secret);
            sign.update(probe);
            byte[] signed = sign.sign();
            Signature verify = Signature.getInstance(algorithm);
            verify.initVerify(known);
            verify.update(probe);
            return verify.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Whether clients are asked for a certificate. They may have none. */
    public boolean asksClients() {
        return !clientAuthorities.isEmpty();
    }

    /** When the server's certificate ends. */
    public Instant notAfter() {
        return chain.getFirst().getNotAfter().toInstant();
    }

    /** Whether clients take the server's certificate at this time. */
    public boolean isValidAt(Instant time) {
        X509Certificate own = chain.getFirst();
        return !own.getNotBefore().toInstant().isAfter(time)
                && !own.getNotAfter().toInstant().isBefore(time);
    }

    /**
     * What an administrator should know although the files can be used.
     *
     * @param soon certificates that end before are named
     * @return a line each
     */
    public List<String> warnings(Instant now, Instant soon) {
        List<String> lines = new ArrayList<>();
        chain.forEach(each -> warn("certificate", each, now, soon, lines));
        clientAuthorities.forEach(each -> warn("certificate of a client authority", each, now, soon, lines));
        return lines;
    }

    private static void warn(String what, X509Certificate each, Instant now, Instant soon, List<String> lines) {
        String name = what + " " + each.getSubjectX500Principal().getName();
        Instant end = each.getNotAfter().toInstant();
        if (each.getNotBefore().toInstant().isAfter(now)) {
            lines.add(name + " is not valid before " + each.getNotBefore().toInstant());
        } else if (end.isBefore(now)) {
            lines.add(name + " expired at " + end + "; clients refuse it");
        } else if (end.isBefore(soon)) {
            lines.add(name + " expires at " + end);
        }
    }

    @Override
    public String toString() {
        // Without the key.
        return chain.getFirst().getSubjectX500Principal().getName() + ", valid until " + notAfter();
    }
}
