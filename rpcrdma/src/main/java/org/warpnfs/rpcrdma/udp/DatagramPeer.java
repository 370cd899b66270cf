package org.warpnfs.rpcrdma.udp;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * Whoever sent a datagram, as a connection of one call.
 *
 * @param listening where it came to; the wildcard address if that is an address which the host has had for a moment
 *     only
 */
record DatagramPeer(InetSocketAddress listening, InetSocketAddress remoteAddress) implements RpcConnection {
    /** Where the socket knows no better, the address that the host would answer from. */
    @Override
    public InetSocketAddress localAddress() {
        if (!listening.getAddress().isAnyLocalAddress()) {
            return listening;
        }
        try (DatagramSocket route = new DatagramSocket()) {
            // Sends nothing.
            route.connect(remoteAddress);
            return new InetSocketAddress(route.getLocalAddress(), listening.getPort());
        } catch (IOException e) {
            return listening;
        }
    }

    @Override
    public boolean lasts() {
        return false;
    }

    @Override
    public String transportName() {
        return "udp";
    }

    @Override
    public boolean open() {
        return true;
    }

    /** There is nothing to end: a call that nobody answers is sent again. */
    @Override
    public void abort(String reason) {}

    @Override
    public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
        call.release();
        sent.accept("no call goes back over UDP");
    }
}
