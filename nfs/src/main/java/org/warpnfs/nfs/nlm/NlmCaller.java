package org.warpnfs.nfs.nlm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.nfs.export.Requester;

/**
 * Where a call came from.
 *
 * @param local the address of this server that was called; null if it is not known
 * @param udp true if its transport is UDP
 * @param privileged true if only the superuser of the host can have sent it
 */
record NlmCaller(InetAddress address, @Nullable InetAddress local, boolean udp, boolean privileged) {
    static NlmCaller of(RpcCall call) {
        InetSocketAddress remote = call.getTransport().getRemoteSocketAddress();
        InetAddress address = remote == null ? null : remote.getAddress();
        InetSocketAddress local = call.getTransport().getLocalSocketAddress();
        InetAddress own = local == null ? null : local.getAddress();
        return new NlmCaller(
                address == null ? new InetSocketAddress(0).getAddress() : address,
                own == null || own.isAnyLocalAddress() ? null : own,
                call.getXdr() instanceof CallLanes lanes && lanes.isRepeated(),
                Requester.isPrivileged(call.getTransport()));
    }

    NlmHost host(String name) {
        return new NlmHost(address, name);
    }
}
