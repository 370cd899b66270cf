package org.warpnfs.rpcrdma.tcp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.rpcrdma.stats.Counter;

/**
 * Stops accepting for a while when that fails, most often for want of a descriptor: trying at once would spin. The connection that is
 * missed least gives its descriptor back meanwhile.
 *
 * <p>For one listening channel. Event loop only.
 */
final class AcceptPause extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptPause.class);
    private static final long PAUSE_MILLIS = 500;

    private final ListenerContext context;
    private final ConnectionTable connections;

    AcceptPause(ListenerContext context, ConnectionTable connections) {
        this.context = context;
        this.connections = connections;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty deprecates the method in the super class only, not here
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        context.statistics().increment(Counter.ACCEPTS_FAILED);
        context.log()
                .admit("accept", ClientAddress.NONE)
                .ifPresent(more -> LOG.warn("a connection could not be accepted ({} more like it)", more, cause));
        if (!ctx.channel().config().isAutoRead()) {
            return;
        }
        ctx.channel().config().setAutoRead(false);
        connections.evictIdle();
        var _ = ctx.executor()
                .schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
