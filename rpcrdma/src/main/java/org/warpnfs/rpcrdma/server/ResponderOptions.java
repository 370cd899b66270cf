package org.warpnfs.rpcrdma.server;

import java.time.Duration;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * What a responder gives each of its connections.
 *
 * @param inlineSendBytes the largest message that it sends; the requester may set a smaller limit
 * @param inlineReceiveBytes size of a receive buffer
 * @param credits receive buffers, hence credits, at the start
 * @param maxCredits what a busy connection may grow to
 * @param ord RDMA Reads to keep outstanding
 * @param maxConnections beyond which requests are refused
 * @param maxReceiveBuffers of all connections together
 * @param maxRunning calls of one connection that run at once; complete ones beyond wait
 * @param maxHeldBytes payload memory that one connection may hold in pulled chunks, and again in replies that have not left
 * @param maxPostedWork work requests that one connection may have outstanding
 * @param maxBackwardCalls calls of ours that one requester may leave unanswered (RFC 8167)
 * @param stallLimit how long work may be outstanding on a connection without any of it completing, before it is ended
 * @param remoteInvalidation whether to use Send with Invalidate where the requester offers it
 * @param rfc5666 what is done for a requester of RFC 5666 alone
 */
public record ResponderOptions(
        int inlineSendBytes,
        int inlineReceiveBytes,
        int credits,
        int maxCredits,
        int ord,
        int maxConnections,
        long maxReceiveBuffers,
        int maxRunning,
        long maxHeldBytes,
        int maxPostedWork,
        int maxBackwardCalls,
        Duration stallLimit,
        boolean remoteInvalidation,
        HeaderLimits headerLimits,
        Rfc5666Options rfc5666) {
    /** What a Linux client expects of a server. */
    public static final ResponderOptions DEFAULT = new ResponderOptions(
            4096,
            4096,
            64,
            128,
            16,
            1024,
            65_536,
            64,
            64 << 20,
            256,
            2,
            Duration.ofSeconds(60),
            true,
            HeaderLimits.DEFAULT,
            Rfc5666Options.DEFAULT);

    public ResponderOptions {
        if (credits < 1 || maxCredits < credits) {
            throw new IllegalArgumentException("credits " + credits + " of at most " + maxCredits);
        }
        if (ord < 1 || maxConnections < 1 || maxRunning < 1 || maxPostedWork < 2 || maxBackwardCalls < 0) {
            throw new IllegalArgumentException("a limit of the responder is below what one call needs");
        }
        privateData(inlineSendBytes, inlineReceiveBytes);
    }

    /** What the responder says while connecting. It exposes nothing in a call of its own, so there is nothing for a peer to invalidate. */
    PrivateData privateData() {
        return privateData(inlineSendBytes, inlineReceiveBytes);
    }

    /** Other credits, the rest the same. */
    public ResponderOptions withCredits(int initial, int most) {
        return new ResponderOptions(
                inlineSendBytes,
                inlineReceiveBytes,
                initial,
                most,
                ord,
                maxConnections,
                maxReceiveBuffers,
                maxRunning,
                maxHeldBytes,
                maxPostedWork,
                maxBackwardCalls,
                stallLimit,
                remoteInvalidation,
                headerLimits,
                rfc5666);
    }

    /** Another limit of connections, the rest the same. */
    public ResponderOptions withMaxConnections(int most) {
        return new ResponderOptions(
                inlineSendBytes,
                inlineReceiveBytes,
                credits,
                maxCredits,
                ord,
                most,
                maxReceiveBuffers,
                maxRunning,
                maxHeldBytes,
                maxPostedWork,
                maxBackwardCalls,
                stallLimit,
                remoteInvalidation,
                headerLimits,
                rfc5666);
    }

    /** Another limit of outstanding work requests, the rest the same. */
    public ResponderOptions withMaxPostedWork(int most) {
        return new ResponderOptions(
                inlineSendBytes,
                inlineReceiveBytes,
                credits,
                maxCredits,
                ord,
                maxConnections,
                maxReceiveBuffers,
                maxRunning,
                maxHeldBytes,
                most,
                maxBackwardCalls,
                stallLimit,
                remoteInvalidation,
                headerLimits,
                rfc5666);
    }

    /** Another limit of calls that run at once, the rest the same. */
    public ResponderOptions withMaxRunning(int most, long heldBytes) {
        return new ResponderOptions(
                inlineSendBytes,
                inlineReceiveBytes,
                credits,
                maxCredits,
                ord,
                maxConnections,
                maxReceiveBuffers,
                most,
                heldBytes,
                maxPostedWork,
                maxBackwardCalls,
                stallLimit,
                remoteInvalidation,
                headerLimits,
                rfc5666);
    }

    /** Other things that RFC 8166 dropped, the rest the same. */
    public ResponderOptions with(Rfc5666Options other) {
        return new ResponderOptions(
                inlineSendBytes,
                inlineReceiveBytes,
                credits,
                maxCredits,
                ord,
                maxConnections,
                maxReceiveBuffers,
                maxRunning,
                maxHeldBytes,
                maxPostedWork,
                maxBackwardCalls,
                stallLimit,
                remoteInvalidation,
                headerLimits,
                other);
    }

    private static PrivateData privateData(int sendBytes, int receiveBytes) {
        return new PrivateData(false, sendBytes, receiveBytes);
    }
}
