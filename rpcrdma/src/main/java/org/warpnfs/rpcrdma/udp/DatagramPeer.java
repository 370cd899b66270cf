package org.warpnfs.rpcrdma.udp;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.RpcConnection;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * The sender of a datagram, as a connection for one call.
 *
 * @param listening the address that the datagram was sent to; the wildcard address if the host has had that address
 *     only for a moment
 */
record DatagramPeer(InetSocketAddress listening, InetSocketAddress remoteAddress) implements RpcConnection {
    /**
     * The address that the datagram was sent to. If the socket does not know it, the address from which the host would
     * answer.
     */
    @Override
    public InetSocketAddress localAddress() {
        if (!listening.getAddress().isAnyLocalAddress()) {
            return listening;
        }
        try (DatagramSocket route = new DatagramSocket()) {
            // Connecting a datagram socket sends nothing.
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

    /** Does nothing, because there is no connection to end. A client repeats a call that is not answered. */
    @Override
    public void abort(String reason) {}

    @Override
    public void sendBackwardCall(RpcMessage call, Consumer<@Nullable String> sent) {
        call.release();
        sent.accept("backward calls are not possible over UDP");
    }
}
