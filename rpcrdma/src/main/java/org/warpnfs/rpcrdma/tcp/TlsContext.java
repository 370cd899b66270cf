package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.tls.ServerKeys;

/**
 * What the TLS connections of a listener share: the certificate and the threads for handshakes. It outlives a
 * listener's connections, and its keys can be replaced while it is used: connections that are open go on with the old
 * ones, whose tickets are not accepted any more.
 *
 * <p>Only TLS 1.3 is spoken, without early data, which could be repeated by anybody (RFC 9289, section 5). Clients name
 * the protocol "sunrpc" or none: Linux names none. Safe for any thread.
 */
public final class TlsContext implements AutoCloseable {
    /** How long a handshake may take. Longer than a client on a bad line needs for two round trips. */
    static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(10);

    /** How long a closing connection waits until the peer has taken the last bytes. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

    /** How long a client may come back with a ticket instead of a full handshake. */
    private static final Duration TICKET_LIFE = Duration.ofHours(1);

    private static final String PROTOCOL = "sunrpc";
    private static final int HANDSHAKE_THREADS = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 8);

    private final HandshakeThreads threads = new HandshakeThreads(HANDSHAKE_THREADS);
    private final Duration handshakeLimit;
    private volatile Keys keys;

    private record Keys(ServerKeys server, SslContext netty) {}

    /**
     * Makes the context.
     *
     * @throws SSLException if the keys cannot be used
     */
    public TlsContext(ServerKeys keys) throws SSLException {
        this(keys, HANDSHAKE_LIMIT);
    }

    TlsContext(ServerKeys keys, Duration handshakeLimit) throws SSLException {
        this.keys = new Keys(keys, netty(keys));
        this.handshakeLimit = handshakeLimit;
    }

    private static SslContext netty(ServerKeys keys) throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forServer(
                        keys.key(), keys.chain().toArray(X509Certificate[]::new))
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3")
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
        return builder.build();
    }

    /**
     * Replaces the keys for new connections.
     *
     * @throws SSLException if the keys cannot be used; the old ones stay
     */
    public void replace(ServerKeys next) throws SSLException {
        keys = new Keys(next, netty(next));
    }

    /** The keys that new connections get. */
    public ServerKeys keys() {
        return keys.server();
    }

    SslHandler handler(Channel channel, ClientAddress client) {
        SslHandler handler = keys.netty().newHandler(channel.alloc(), threads.of(client));
        handler.setHandshakeTimeoutMillis(handshakeLimit.toMillis());
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_LIMIT.toMillis());
        return handler;
    }

    @Override
    public void close() {
        threads.close();
    }
}
