package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.function.LongSupplier;

/**
 * Ends a TLS connection whose peer sends mostly records without data.
 *
 * <p>Such a record can ask for new keys (KeyUpdate, RFC 8446, section 4.6.3). It costs the event loop the derivation of
 * keys, and is answered. The answers are written by the TLS engine itself, past the limits on unsent replies. So a peer
 * that sends nothing else, and reads nothing, would take memory without end.
 *
 * <p>Stands before the TLS handler. For the event loop only.
 */
final class TlsInputGuard extends ChannelInboundHandlerAdapter {
    /** More than a handshake with the longest chain of certificates takes, and a record that is not complete yet. */
    private static final long ALLOWANCE_BYTES = 128 << 10;

    /** The replies of one window are fewer, however small they are. */
    private static final int MAX_UNSENT_RECORDS = 8192;

    private final LongSupplier plaintextBytes;
    private final Runnable exceeded;
    /** What has come without data for it, as far as later data have not made up for it. */
    private long emptyBytes;

    private long seenPlaintextBytes;

    /**
     * @param plaintextBytes what has come out of TLS so far
     * @param exceeded ends the connection; is called once
     */
    TlsInputGuard(LongSupplier plaintextBytes, Runnable exceeded) {
        this.plaintextBytes = plaintextBytes;
        this.exceeded = exceeded;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        emptyBytes += ((ByteBuf) message).readableBytes();
        ctx.fireChannelRead(message);
        long now = plaintextBytes.getAsLong();
        // The smallest call is as long as what TLS adds to it. Many large ones are no allowance for later.
        emptyBytes = Math.max(0, emptyBytes - 2 * (now - seenPlaintextBytes));
        seenPlaintextBytes = now;
        boolean empty = emptyBytes > ALLOWANCE_BYTES;
        ChannelOutboundBuffer unsent = ctx.channel().unsafe().outboundBuffer();
        if (empty || (unsent != null && unsent.size() > MAX_UNSENT_RECORDS)) {
            ctx.pipeline().remove(this);
            exceeded.run();
        }
    }
}
