package org.warpnfs.rpcrdma.message;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.NamedTransport;
import org.warpnfs.limits.SecuredPeer;

/**
 * One connection with a requester, represented by the same object from its beginning to its end. Safe for any thread.
 */
public interface RpcConnection {
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    /** False once the connection has ended. */
    boolean open();

    /**
     * False if the connection exists for one call only, as for the sender of a datagram. Its end is not reported, so no
     * state may be kept for it.
     */
    default boolean lasts() {
        return true;
    }

    /** Ends the connection at once. A requester then repeats its unanswered calls on a new connection. */
    void abort(String reason);

    /** See {@link org.warpnfs.limits.PrivilegedPeer#isPrivileged}. */
    default boolean isPrivileged() {
        return remoteAddress().getPort() < 1024;
    }

    /** See {@link org.warpnfs.limits.SecuredPeer#security}. */
    default SecuredPeer.Security security() {
        return SecuredPeer.Security.CLEAR;
    }

    /** See {@link org.warpnfs.limits.NamedTransport#transportName}. */
    default String transportName() {
        return NamedTransport.OTHER;
    }

    /**
     * True if every item of a reply is sent from where it lies, also if no upper-layer binding calls it DDP-eligible.
     */
    default boolean gathersItems() {
        return false;
    }

    /**
     * Sends a call in the backward direction (RFC 8167). Its reply goes to {@link InboundHandler#backwardReply}.
     *
     * @param sent is called with null once the call has been sent, or with the reason why it will not be
     */
    void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent);

    /**
     * Processes a requester's request of the connection configuration protocol (RFC 5666, section 6). It takes effect
     * with the next reply.
     *
     * @return empty if the transport has nothing to configure
     */
    default Optional<ConfigurationAnswer> configure(ConfigurationRequest request) {
        return Optional.empty();
    }
}
