package org.warpnfs.nfs.replay;

import java.net.InetAddress;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Identity;

/**
 * Identifies a call and its repetitions. After the loss of a connection a client repeats unanswered calls on a new one,
 * from another port and perhaps over another transport. So neither is part of the key. Two mounts of one client may use
 * the same XID, so the caller and a checksum over the arguments are part of it.
 *
 * @param caller compared as a whole, so that nobody gets the reply to somebody else's call
 * @param checksum of the arguments
 */
record CallKey(InetAddress client, int xid, int program, int version, int procedure, Identity caller, long checksum) {
    /**
     * The key of a call, or null if its peer's address is not known: such a call cannot be distinguished from others.
     *
     * @param arguments a checksum of the arguments
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
                identity,
                arguments);
    }
}
