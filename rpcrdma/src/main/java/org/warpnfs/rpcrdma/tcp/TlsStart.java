package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.Protection;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.rpcrdma.tls.PeerNames;

/**
 * The beginning of TLS on one connection (RFC 9289, section 4.1).
 *
 * <pre>
 * call     xid, CALL, 2, program, version, NULL, AUTH_TLS of length 0, AUTH_NONE of length 0
 * reply    xid, REPLY, MSG_ACCEPTED, AUTH_NONE of length 8 "STARTTLS", SUCCESS
 * </pre>
 *
 * <p>The reply is the last thing that leaves the connection in clear. Everything behind it, in both directions, passes
 * Netty's TLS handler, which stands before all others and ends the connection if it gets anything else. For the event
 * loop only.
 */
final class TlsStart {
    private static final int AUTH_TLS = 7;
    private static final int PROBE_BYTES = 40;
    private static final int RPC_VERSION_OFFSET_BYTES = 8;
    private static final int PROCEDURE_OFFSET_BYTES = 20;
    private static final int RPC_VERSION = 2;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int REPLY = 1;
    private static final byte[] STARTTLS = "STARTTLS".getBytes(StandardCharsets.US_ASCII);
    private static final int ANSWER_BYTES = 32;

    private final SslHandler handler;
    private SecuredPeer.Security security = SecuredPeer.Security.CLEAR;

    private TlsStart(SslHandler handler) {
        this.handler = handler;
    }

    /** Whether a call is the probe in its only form. Any other use of AUTH_TLS is answered with AUTH_BADCRED. */
    static boolean isProbe(ByteBuf call) {
        int begin = call.readerIndex();
        return call.readableBytes() == PROBE_BYTES
                && call.getInt(begin + RPC_VERSION_OFFSET_BYTES) == RPC_VERSION
                // procedure and flavor, then length, flavor and length
                && call.getLong(begin + PROCEDURE_OFFSET_BYTES) == AUTH_TLS
                && call.getInt(begin + PROCEDURE_OFFSET_BYTES + 8) == 0
                && call.getLong(begin + PROCEDURE_OFFSET_BYTES + 12) == 0;
    }

    /** Answers the probe in clear, and awaits the handshake. Nothing else may have been written. */
    static TlsStart begin(Channel channel, TlsContext context, ClientAddress client, int xid, TlsInputGuard guard) {
        ByteBuf answer = channel.alloc()
                .directBuffer(Integer.BYTES + ANSWER_BYTES)
                .writeInt(LAST_FRAGMENT | ANSWER_BYTES)
                .writeInt(xid)
                .writeInt(REPLY)
                .writeLong(0)
                .writeInt(STARTTLS.length)
                .writeBytes(STARTTLS)
                .writeInt(0);
        var _ = channel.writeAndFlush(answer);
        SslHandler handler = context.handler(channel, client);
        channel.pipeline().addFirst(handler);
        channel.pipeline().addFirst(guard);
        return new TlsStart(handler);
    }

    /**
     * The handshake has succeeded. A handshake by a ticket checks no certificate, so the peer's is looked at here, too.
     *
     * @return why the connection must end; null if it is protected now
     */
    @Nullable
    Throwable ended() {
        Certificate[] chain;
        try {
            chain = handler.engine().getSession().getPeerCertificates();
        } catch (SSLPeerUnverifiedException e) {
            chain = new Certificate[0];
        }
        if (chain.length == 0) {
            security = new SecuredPeer.Security(Protection.TLS, List.of());
            return null;
        }
        try {
            // The peer may have sent others that its path does not need.
            if (chain[0] instanceof X509Certificate certificate) {
                certificate.checkValidity();
            }
        } catch (CertificateException e) {
            return e;
        }
        List<String> names = chain[0] instanceof X509Certificate own ? PeerNames.of(own) : List.of();
        security = new SecuredPeer.Security(Protection.MUTUAL_TLS, names);
        return null;
    }

    /** The protection that the handshake has given. */
    SecuredPeer.Security security() {
        return security;
    }

    /** Why TLS failed, in one line without what the peer could have made up at length. */
    static String told(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        String text = String.valueOf(cause.getMessage());
        return cause.getClass().getSimpleName() + ": "
                + text.substring(0, Math.min(text.length(), 200)).strip();
    }

    /**
     * Closes a connection without waiting until the peer has taken anything. TLS would send the peer a farewell first,
     * and what waits before it.
     */
    static void cut(Channel channel) {
        ChannelHandlerContext context = channel.pipeline().context(SslHandler.class);
        var _ = context == null ? channel.close() : context.close();
    }
}
