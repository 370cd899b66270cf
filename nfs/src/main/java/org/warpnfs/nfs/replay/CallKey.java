package org.warpnfs.nfs.replay;

import java.net.Inet6Address;
import java.net.InetAddress;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.warpnfs.keys.KeyedHash;
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
    /** Without the address: the keys of each client are in a table of their own. */
    @Override
    public int hashCode() {
        return KeyedHash.of((long) xid << 32 ^ procedure ^ program, checksum ^ (long) caller.hashCode() << 32);
    }

    /**
     * Measured: an entry with a key of AUTH_SYS without groups and an IPv4 address, what the maps add, and the reply.
     */
    private static final int ENTRY_BYTES = 288;

    private static final int IPV6_BYTES = 72;
    /** A list, and each number in it. */
    private static final int GROUPS_BYTES = 40;

    private static final int GROUP_BYTES = 28;
    private static final int TEXT_BYTES = 56;

    /** Memory of an entry with this key, without the bytes of its reply. */
    int heapBytes() {
        int callerBytes =
                switch (caller) {
                    case Identity.SystemUser user when user.groups().isEmpty() -> 0;
                    case Identity.SystemUser user ->
                        GROUPS_BYTES + GROUP_BYTES * user.groups().size();
                    case Identity.KerberosUser user ->
                        TEXT_BYTES + Character.BYTES * user.principal().length();
                    case Identity.Anonymous _ -> 0;
                };
        return ENTRY_BYTES + (client instanceof Inet6Address ? IPV6_BYTES : 0) + callerBytes;
    }

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
