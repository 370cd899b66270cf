package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.warpnfs.limits.PrivilegedPeer;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.nfs.idmap.GroupSource;

/**
 * The sender of a call, with everything that exports decide by.
 *
 * @param address of the host; the wildcard address if the transport knows none, which only a rule for everyone matches
 * @param privilegedPort true if the port is one that only the superuser of that host can use
 * @param identity the user that the host names
 * @param groups source of the users' groups
 * @param security the protection of the connection that the call came by
 */
public record Requester(
        InetAddress address,
        boolean privilegedPort,
        Identity identity,
        GroupSource groups,
        SecuredPeer.Security security) {
    private static final int FIRST_USER_PORT = 1024;

    /** Makes a requester whose groups are those in its credential, on a connection in clear. */
    public Requester(InetAddress address, boolean privilegedPort, Identity identity) {
        this(address, privilegedPort, identity, GroupSource.CREDENTIAL, SecuredPeer.Security.CLEAR);
    }

    /**
     * Makes the requester of a call.
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
                groups,
                transport instanceof SecuredPeer peer ? peer.security() : SecuredPeer.Security.CLEAR);
    }

    private static boolean isPrivileged(RpcTransport transport, InetSocketAddress remote) {
        if (transport instanceof PrivilegedPeer peer) {
            return peer.isPrivileged();
        }
        return remote != null && remote.getPort() < FIRST_USER_PORT;
    }
}
