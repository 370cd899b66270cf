package org.warpnfs.rpcrdma.tcp;

import io.netty.handler.ssl.OpenSslPrivateKeyMethod;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import javax.net.ssl.SSLEngine;

/**
 * Signs the handshakes of OpenSSL with a key of the JDK.
 *
 * <p>OpenSSL itself would sign on the event loop, where some milliseconds for a long RSA key delay every connection of
 * that loop. This is called on a thread for handshakes. Safe for any thread.
 */
final class TlsSigner implements OpenSslPrivateKeyMethod {
    private static final String RSA = "RSA";
    private static final String EC = "EC";
    private final PrivateKey key;

    TlsSigner(PrivateKey key) {
        this.key = key;
    }

    /** Whether OpenSSL can serve with a key of this kind. */
    static boolean knows(PrivateKey key) {
        return key.getAlgorithm().equals(RSA) || key.getAlgorithm().equals(EC);
    }

    @Override
    public byte[] sign(SSLEngine engine, int signatureAlgorithm, byte[] input) throws GeneralSecurityException {
        Signature signature = of(signatureAlgorithm);
        signature.initSign(key);
        signature.update(input);
        return signature.sign();
    }

    /** The algorithms of TLS 1.3 for these keys (RFC 8446, section 4.2.3). */
    private static Signature of(int algorithm) throws GeneralSecurityException {
        if (algorithm == SSL_SIGN_ECDSA_SECP256R1_SHA256) {
            return Signature.getInstance("SHA256withECDSA");
        }
        if (algorithm == SSL_SIGN_ECDSA_SECP384R1_SHA384) {
            return Signature.getInstance("SHA384withECDSA");
        }
        if (algorithm == SSL_SIGN_ECDSA_SECP521R1_SHA512) {
            return Signature.getInstance("SHA512withECDSA");
        }
        if (algorithm == SSL_SIGN_RSA_PSS_RSAE_SHA256) {
            return pss("SHA-256", MGF1ParameterSpec.SHA256, 32);
        }
        if (algorithm == SSL_SIGN_RSA_PSS_RSAE_SHA384) {
            return pss("SHA-384", MGF1ParameterSpec.SHA384, 48);
        }
        if (algorithm == SSL_SIGN_RSA_PSS_RSAE_SHA512) {
            return pss("SHA-512", MGF1ParameterSpec.SHA512, 64);
        }
        throw new InvalidKeyException("signature algorithm 0x" + Integer.toHexString(algorithm));
    }

    private static Signature pss(String hash, MGF1ParameterSpec mask, int saltBytes) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("RSASSA-PSS");
        signature.setParameter(new PSSParameterSpec(hash, "MGF1", mask, saltBytes, PSSParameterSpec.TRAILER_FIELD_BC));
        return signature;
    }

    /** Only a client of TLS 1.2 could ask for it. */
    @Override
    public byte[] decrypt(SSLEngine engine, byte[] input) throws GeneralSecurityException {
        throw new InvalidKeyException("keys are not exchanged by RSA");
    }
}
