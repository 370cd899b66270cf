package org.warpnfs.nfs.replay;

import java.net.InetAddress;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Identity;

/**
 * Who asked what. A client that has lost its connection sends what was not answered again on the next, from another
 * port and perhaps by another transport: neither counts. XIDs of two mounts of one client may meet: so a checksum over
 * the whole call does.
 *
 * @param checksum of credential and arguments
 */
record CallKey(InetAddress client, int xid, int program, int version, int procedure, long checksum) {
    /**
     * The key of a call, or null if it is not known from where it came: it cannot be told from others then.
     *
     * @param arguments a checksum of them
     */
    static @Nullable CallKey of(RpcCall rpc, Identity identity, long arguments) {
        InetAddress client = rpc.getTransport().getRemoteSocketAddress().getAddress();
        if (client == null) {
            return null;
        }
        return new CallKey(
                client,
                rpc.getXid(),
                rpc.getProgram(),
                rpc.getProgramVersion(),
                rpc.getProcedure(),
                arguments * 31 + identity.hashCode());
    }
}
