package org.warpnfs.sockets;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.limits.LogLimiter;

/**
 * Pauses accepting on a listening socket when the process has no file descriptor left for a pending connection (EMFILE,
 * ENFILE). The connection stays in the backlog meanwhile. Trying again at once would keep the event loop busy for
 * nothing.
 *
 * <p>For one listening channel. To be used on its event loop only.
 */
public final class AcceptPause extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptPause.class);
    private static final long PAUSE_MILLIS = 250;

    private final LogLimiter lines = new LogLimiter();
    private final Runnable failed;
    private final Runnable rests;

    /**
     * @param failed runs each time that a connection cannot be accepted
     * @param rests runs at the beginning of each pause, to free a descriptor
     */
    public AcceptPause(Runnable failed, Runnable rests) {
        this.failed = failed;
        this.rests = rests;
    }

    @Override
    @SuppressWarnings({"deprecation", "FutureReturnValueIgnored"}) // deprecated in the super class only
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failed.run();
        OptionalLong more = lines.admit("accept", ClientAddress.NONE);
        if (more.isPresent()) {
            LOG.warn(
                    "{} cannot accept, and tries again every {} ms: {} ({} more like it)",
                    context.channel().localAddress(),
                    PAUSE_MILLIS,
                    cause.toString(),
                    more.getAsLong());
        }
        if (context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(false);
            rests.run();
            context.executor()
                    .schedule(() -> context.channel().config().setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
