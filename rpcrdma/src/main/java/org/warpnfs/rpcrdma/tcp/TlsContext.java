package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
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

    private static final int HANDSHAKE_THREADS = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 8);

    private final HandshakeThreads threads = new HandshakeThreads(HANDSHAKE_THREADS);
    private final Duration handshakeLimit;
    private final TlsEngines.Provider provider;
    private volatile Keys keys;

    /** Guarded by this. */
    private boolean closed;

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
        this(keys, handshakeLimit, TlsEngines.best(keys));
    }

    TlsContext(ServerKeys keys, Duration handshakeLimit, TlsEngines.Provider provider) throws SSLException {
        this.keys = new Keys(keys, TlsEngines.server(keys, provider));
        this.handshakeLimit = handshakeLimit;
        this.provider = provider;
    }

    /**
     * Replaces the keys for new connections.
     *
     * @throws SSLException if the keys cannot be used; the old ones stay
     */
    public void replace(ServerKeys next) throws SSLException {
        TlsEngines.Provider by = provider == TlsEngines.Provider.JDK ? TlsEngines.Provider.JDK : TlsEngines.best(next);
        Keys renewed = new Keys(next, TlsEngines.server(next, by));
        Keys old;
        synchronized (this) {
            old = keys;
            keys = renewed;
        }
        // Connections that are open hold the old one themselves.
        ReferenceCountUtil.release(old.netty());
    }

    /** The keys that new connections get. */
    public ServerKeys keys() {
        return keys.server();
    }

    SslHandler handler(Channel channel, ClientAddress client) {
        SslHandler handler;
        // Not while it is being replaced: the old one may be gone then.
        synchronized (this) {
            handler = keys.netty().newHandler(channel.alloc(), threads.of(client));
        }
        handler.setHandshakeTimeoutMillis(handshakeLimit.toMillis());
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_LIMIT.toMillis());
        return handler;
    }

    @Override
    public void close() {
        threads.close();
        synchronized (this) {
            if (!closed) {
                closed = true;
                ReferenceCountUtil.release(keys.netty());
            }
        }
    }
}
