package org.warpnfs.nfs.testing;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.nfs.nlm.NlmProgram;

/** A client that locks one file by NLM version 4 (RFC 1813, section 6.1), from an address of its own. */
public final class NlmClient {
    public static final int GRANTED = 0;
    public static final int DENIED = 1;
    public static final int BLOCKED = 3;
    public static final int DENIED_GRACE_PERIOD = 4;
    public static final int DEADLCK = 5;

    private static final int TEST = 1;
    private static final int LOCK = 2;
    private static final int CANCEL = 3;
    private static final int UNLOCK = 4;
    private static final int SHARE = 20;
    private static final int FREE_ALL = 23;
    private static final String NAME = "client.lab";
    private static final byte[] COOKIE = {1, 2, 3};
    private static final int PORT = 700;

    private final RpcDispatchable nlm;
    private final InetAddress address;
    private final byte[] handle;

    /** @param handle of the file, as the wire has it */
    public NlmClient(RpcDispatchable nlm, InetAddress address, byte[] handle) {
        this.nlm = nlm;
        this.address = address;
        this.handle = handle.clone();
    }

    /** The start of a call, up to the cookie. */
    public static CallWriter begin(int procedure) {
        return CallWriter.call(7, NlmProgram.PROGRAM, NlmProgram.VERSION, procedure)
                .authSys(0, 0)
                .opaque(COOKIE);
    }

    /** Appends a nlm4_lock. */
    public static CallWriter lockOf(CallWriter call, byte[] handle, String owner, long offset, long length) {
        return call.string(NAME)
                .opaque(handle)
                .string(owner)
                .words(owner.hashCode())
                .hyper(offset)
                .hyper(length);
    }

    /** The status of a reply to a call of {@link #begin}. */
    public static int statusOf(ReplyReader reply) {
        if (reply.stat() != ReplyReader.SUCCESS) {
            throw new AssertionError("accept_stat " + reply.stat());
        }
        if (!Arrays.equals(reply.opaque(1024), COOKIE)) {
            throw new AssertionError("another cookie");
        }
        return reply.word();
    }

    private int send(CallWriter call) {
        try {
            return statusOf(
                    new ReplyReader(ReplyKeeper.call(nlm, new InetSocketAddress(address, PORT), call.toBytes())));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Locks a range exclusively, and waits for it if told so. Returns the status. */
    public int lock(String owner, boolean block, long offset, long length) {
        return send(lockOf(begin(LOCK).words(block ? 1 : 0, 1), handle, owner, offset, length)
                .words(0, 3));
    }

    /** Locks a range exclusively that it had before a restart of the server. Returns the status. */
    public int reclaim(String owner, long offset, long length) {
        return send(
                lockOf(begin(LOCK).words(0, 1), handle, owner, offset, length).words(1, 3));
    }

    /** Asks whether a range could be locked exclusively. Returns the status. */
    public int test(String owner, long offset, long length) {
        return send(lockOf(begin(TEST).words(1), handle, owner, offset, length));
    }

    /** Reserves the file to read and write, and for nobody else to do so. Returns the status. */
    public int share(String owner) {
        return send(begin(SHARE).string(NAME).opaque(handle).string(owner).words(3, 3, 0));
    }

    /** Takes a request of {@link #lock} back. Returns the status. */
    public int cancel(String owner, long offset, long length) {
        return send(lockOf(begin(CANCEL).words(1, 1), handle, owner, offset, length));
    }

    /** Says that its host has restarted, and has no locks any more. */
    public void freeAll() {
        try {
            ReplyKeeper.call(
                    nlm,
                    new InetSocketAddress(address, PORT),
                    CallWriter.call(7, NlmProgram.PROGRAM, NlmProgram.VERSION, FREE_ALL)
                            .authSys(0, 0)
                            .string(NAME)
                            .words(5)
                            .toBytes());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public int unlock(String owner, long offset, long length) {
        return send(lockOf(begin(UNLOCK), handle, owner, offset, length));
    }
}
