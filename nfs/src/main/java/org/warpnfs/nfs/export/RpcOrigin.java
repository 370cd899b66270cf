package org.warpnfs.nfs.export;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.limits.NamedTransport;
import org.warpnfs.nfs.stats.CallOrigin;

/** The origin of a call, as its transport knows it. Names of hosts are never looked up. */
public record RpcOrigin(RpcCall rpc) implements CallOrigin {
    @Override
    public int xid() {
        return rpc.getXid();
    }

    @Override
    public String transport() {
        return rpc.getTransport() instanceof NamedTransport named ? named.transportName() : NamedTransport.OTHER;
    }

    @Override
    public long waitedNanos() {
        return rpc.getXdr() instanceof CallLanes lanes ? lanes.waitedNanos() : 0;
    }

    @Override
    public long spentNanos() {
        return CallOnThread.spentNanos();
    }

    @Override
    public boolean onReplyLeft(Runnable left) {
        return rpc.getXdr() instanceof CallLanes lanes && lanes.onReplyLeft(left);
    }

    @Override
    public String peer() {
        InetSocketAddress remote = rpc.getTransport().getRemoteSocketAddress();
        InetAddress address = remote == null ? null : remote.getAddress();
        if (remote == null || address == null) {
            return "";
        }
        String host = address.getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + remote.getPort();
    }
}
