package org.warpnfs.rpcrdma.message;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.NamedTransport;

/** One connection with a requester. The same object from its beginning to its end. Safe for any thread. */
public interface RpcConnection {
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    /** False once the connection has ended. */
    boolean open();

    /**
     * False if it is there for one call only, as a datagram's sender is: nobody is told of its end, so nobody may
     * remember it.
     */
    default boolean lasts() {
        return true;
    }

    /** Ends the connection at once. A requester then repeats what was not answered on a new one. */
    void abort(String reason);

    /** As {@link org.warpnfs.limits.PrivilegedPeer#isPrivileged}. */
    default boolean isPrivileged() {
        return remoteAddress().getPort() < 1024;
    }

    /** As {@link org.warpnfs.limits.NamedTransport#transportName}. */
    default String transportName() {
        return NamedTransport.OTHER;
    }

    /**
     * True if every item of a reply joins the stream from where it lies, whether an upper-layer binding calls it
     * DDP-eligible or not.
     */
    default boolean gathersItems() {
        return false;
    }

    /**
     * Sends a call in the backward direction (RFC 8167). Its reply comes to {@link InboundHandler#backwardReply}.
     *
     * @param sent hears null once the call is on its way, or why it will not go
     */
    void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent);

    /**
     * Takes what a requester says by the connection configuration protocol (RFC 5666, section 6), in force from the
     * next reply on.
     *
     * @return empty if the transport has nothing to configure
     */
    default Optional<ConfigurationAnswer> configure(ConfigurationRequest request) {
        return Optional.empty();
    }
}
