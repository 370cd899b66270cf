package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.warpnfs.limits.PrivilegedPeer;
import org.warpnfs.nfs.idmap.GroupSource;

/**
 * Who makes a call: what exports judge it by.
 *
 * @param address of the host; the wildcard address where the transport knows none, which no rule but that for everyone
 *     means
 * @param privilegedPort true if only the superuser of that host could send it, as far as the port tells
 * @param identity whom the host says it is for
 * @param groups where the groups of users come from
 */
public record Requester(InetAddress address, boolean privilegedPort, Identity identity, GroupSource groups) {
    private static final int FIRST_USER_PORT = 1024;

    /** Whose groups are those that the host says. */
    public Requester(InetAddress address, boolean privilegedPort, Identity identity) {
        this(address, privilegedPort, identity, GroupSource.CREDENTIAL);
    }

    /**
     * Reads it off a call.
     *
     * @throws RpcAuthException as {@link Identity#of}
     */
    public static Requester of(RpcCall call, GroupSource groups) throws RpcAuthException {
        Identity identity = Identity.of(call);
        RpcTransport transport = call.getTransport();
        InetSocketAddress remote = transport.getRemoteSocketAddress();
        InetAddress address = remote == null ? null : remote.getAddress();
        return new Requester(
                address == null ? new InetSocketAddress(0).getAddress() : address,
                isPrivileged(transport, remote),
                identity,
                groups);
    }

    private static boolean isPrivileged(RpcTransport transport, InetSocketAddress remote) {
        if (transport instanceof PrivilegedPeer peer) {
            return peer.isPrivileged();
        }
        return remote != null && remote.getPort() < FIRST_USER_PORT;
    }
}
