package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.jspecify.annotations.Nullable;
import org.warpnfs.limits.NamedTransport;
import org.warpnfs.limits.PrivilegedPeer;
import org.warpnfs.limits.SecuredPeer;
import org.warpnfs.nfs.idmap.CertificateUsers;
import org.warpnfs.nfs.idmap.Identities;

/**
 * The sender of a call, with everything that exports decide by.
 *
 * @param address of the host; the wildcard address if the transport knows none, which only a rule for everyone matches
 * @param privilegedPort true if the port is one that only the superuser of that host can use
 * @param identity the user that the host names
 * @param known groups and principals of users
 * @param security the protection of the connection that the call came by
 * @param transport that the call came by
 */
public record Requester(
        InetAddress address,
        boolean privilegedPort,
        Identity identity,
        Identities known,
        SecuredPeer.Security security,
        Transport transport) {
    private static final int FIRST_USER_PORT = 1024;

    /** Makes a requester whose groups are those in its credential, on a connection over TCP in clear. */
    public Requester(InetAddress address, boolean privilegedPort, Identity identity) {
        this(address, privilegedPort, identity, Identities.NUMERIC, SecuredPeer.Security.CLEAR, Transport.TCP);
    }

    /**
     * Makes the requester of a call.
     *
     * @throws RpcAuthException as {@link Identity#of}
     */
    public static Requester of(RpcCall call, Identities identities) throws RpcAuthException {
        RpcTransport transport = call.getTransport();
        SecuredPeer.Security security =
                transport instanceof SecuredPeer peer ? peer.security() : SecuredPeer.Security.CLEAR;
        Identity identity = mapped(Identity.of(call), identities.certificates().of(security.names()));
        InetSocketAddress remote = transport.getRemoteSocketAddress();
        InetAddress address = remote == null ? null : remote.getAddress();
        return new Requester(
                address == null ? new InetSocketAddress(0).getAddress() : address,
                isPrivileged(transport),
                identity,
                identities,
                security,
                isRdma(transport) ? Transport.RDMA : Transport.TCP);
    }

    private static boolean isRdma(RpcTransport transport) {
        return transport instanceof NamedTransport named
                && named.transportName().equals(Transport.RDMA.word());
    }

    /** Replaces the user that a client names in AUTH_SYS, if its certificate stands for one user. */
    private static Identity mapped(Identity said, CertificateUsers.@Nullable User user) {
        return user != null && said instanceof Identity.SystemUser
                ? new Identity.SystemUser(user.uid(), user.gid(), List.of(), true)
                : said;
    }

    /** True if the calls of that transport come from a port that only the superuser of the client's host can use. */
    public static boolean isPrivileged(RpcTransport transport) {
        if (transport instanceof PrivilegedPeer peer) {
            return peer.isPrivileged();
        }
        InetSocketAddress remote = transport.getRemoteSocketAddress();
        return remote != null && remote.getPort() < FIRST_USER_PORT;
    }
}
