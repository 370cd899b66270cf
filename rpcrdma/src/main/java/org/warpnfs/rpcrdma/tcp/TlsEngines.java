package org.warpnfs.rpcrdma.tcp;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.OpenSslX509KeyManagerFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.rpcrdma.tls.ServerKeys;

/**
 * Chooses who encrypts: OpenSSL (BoringSSL, in native code) where it can be loaded and knows the kind of the server's
 * key, else the JDK.
 *
 * <p>Both speak TLS 1.3 alone, without early data, and name the protocol "sunrpc" to clients that ask for it.
 * {@code -Dio.netty.handler.ssl.noOpenSsl=true} leaves everything to the JDK. Safe for any thread.
 */
final class TlsEngines {
    private static final Logger LOG = LoggerFactory.getLogger(TlsEngines.class);
    private static final String PROTOCOL = "sunrpc";
    private static final String VERSION = "TLSv1.3";

    /** How long a client may come back with a ticket instead of a full handshake. */
    private static final Duration TICKET_LIFE = Duration.ofHours(1);

    private TlsEngines() {}

    /** Who encrypts. */
    enum Provider {
        OPENSSL(SslProvider.OPENSSL_REFCNT),
        JDK(SslProvider.JDK);

        private final SslProvider netty;

        Provider(SslProvider netty) {
            this.netty = netty;
        }
    }

    /** The faster one of those that can serve with a key of this kind. */
    static Provider best(ServerKeys keys) {
        Throwable missing = OpenSsl.unavailabilityCause();
        if (missing != null) {
            LOG.info("TLS by the JDK: OpenSSL is not available ({})", missing.toString());
            return Provider.JDK;
        }
        if (!TlsSigner.knows(keys.key())) {
            LOG.info(
                    "TLS by the JDK: OpenSSL does not take a key of {}",
                    keys.key().getAlgorithm());
            return Provider.JDK;
        }
        LOG.info("TLS by {}", OpenSsl.versionString());
        return Provider.OPENSSL;
    }

    /** Whether OpenSSL can be loaded here. */
    static boolean hasOpenSsl() {
        return OpenSsl.isAvailable();
    }

    /**
     * Makes the server's side. One of OpenSSL has to be released.
     *
     * @throws SSLException if the keys cannot be used
     */
    static SslContext server(ServerKeys keys, Provider provider) throws SSLException {
        X509Certificate[] chain = keys.chain().toArray(X509Certificate[]::new);
        SslContextBuilder builder =
                provider == Provider.JDK ? SslContextBuilder.forServer(keys.key(), chain) : byOpenSsl(keys, chain);
        builder.sslProvider(provider.netty)
                .protocols(VERSION)
                .sessionTimeout(TICKET_LIFE.toSeconds())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        PROTOCOL));
        if (keys.asksClients()) {
            // Clients may have no certificate. The exports decide what such a client may use.
            builder.clientAuth(ClientAuth.OPTIONAL)
                    .trustManager(keys.clientAuthorities().toArray(X509Certificate[]::new));
        }
        SslContext context = builder.build();
        if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
            sessions.setTicketKeys(ticketKey());
        }
        return context;
    }

    /** Signatures, which take a millisecond, are left to the threads of handshakes. */
    private static SslContextBuilder byOpenSsl(ServerKeys keys, X509Certificate[] chain) throws SSLException {
        try {
            return SslContextBuilder.forServer(OpenSslX509KeyManagerFactory.newKeyless(chain))
                    .option(OpenSslContextOption.PRIVATE_KEY_METHOD, new TlsSigner(keys.key()));
        } catch (GeneralSecurityException | IOException e) {
            throw new SSLException("the certificates: " + e.getMessage(), e);
        }
    }

    /** Without a key, OpenSSL gives no tickets. It ends with its context, as those of the JDK do. */
    private static OpenSslSessionTicketKey ticketKey() {
        byte[] random = new byte[OpenSslSessionTicketKey.TICKET_KEY_SIZE];
        new SecureRandom().nextBytes(random);
        int hmacAt = OpenSslSessionTicketKey.NAME_SIZE;
        int aesAt = hmacAt + OpenSslSessionTicketKey.HMAC_KEY_SIZE;
        return new OpenSslSessionTicketKey(
                Arrays.copyOfRange(random, 0, hmacAt),
                Arrays.copyOfRange(random, hmacAt, aesAt),
                Arrays.copyOfRange(random, aesAt, aesAt + OpenSslSessionTicketKey.AES_KEY_SIZE));
    }

    /**
     * Makes a client's side.
     *
     * @param authorities issuers of servers' certificates; null if the certificate does not matter
     * @throws SSLException if the certificates cannot be used
     */
    static SslContext client(@Nullable List<X509Certificate> authorities) throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(hasOpenSsl() ? SslProvider.OPENSSL : SslProvider.JDK)
                .protocols(VERSION);
        return authorities == null
                ? builder.trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .endpointIdentificationAlgorithm(null)
                        .build()
                : builder.trustManager(authorities.toArray(X509Certificate[]::new))
                        .endpointIdentificationAlgorithm("HTTPS")
                        .build();
    }
}
