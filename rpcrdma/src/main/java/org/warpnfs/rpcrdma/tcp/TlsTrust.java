package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.warpnfs.rpcrdma.tls.PemFiles;

/** Which servers a client of RPC-with-TLS (RFC 9289) believes. Its connections use TLS 1.3. Safe for any thread. */
public final class TlsTrust {
    private final SslContext context;

    private TlsTrust(SslContext context) {
        this.context = context;
    }

    /**
     * Encrypts, whoever the server is. That protects from readers, not from a false server.
     *
     * @throws IOException if there is no TLS here
     */
    public static TlsTrust anyServer() throws IOException {
        return new TlsTrust(TlsEngines.client(null));
    }

    /**
     * Believes servers whose certificate comes from an authority in this file and has the name by which they are
     * called.
     *
     * @param authorities certificates in PEM
     * @throws IOException if the file cannot be used: one line that begins with its path
     */
    public static TlsTrust of(Path authorities) throws IOException {
        return new TlsTrust(TlsEngines.client(PemFiles.certificates(authorities)));
    }

    SslHandler handler(Channel channel, InetSocketAddress server) {
        SslHandler handler = context.newHandler(channel.alloc(), server.getHostString(), server.getPort());
        handler.setHandshakeTimeoutMillis(TlsContext.HANDSHAKE_LIMIT.toMillis());
        return handler;
    }
}
