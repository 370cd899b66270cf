package org.warpnfs.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.warpnfs.server.NfsCall;

/**
 * A client of NFSv4.0 or 4.1 that holds an open, locks and delegations. It encodes its calls word by word and has its
 * own connection.
 */
public final class StateHolder implements AutoCloseable {
    static final int OK = 0;
    static final int DENIED = 10_010;
    static final int EXPIRED = 10_011;
    static final int GRACE = 10_013;
    static final int STALE_CLIENTID = 10_022;
    static final int BAD_STATEID = 10_025;
    static final int ADMIN_REVOKED = 10_047;
    static final int BADSESSION = 10_052;

    static final int DELAY = 10_008;
    static final int READ_DELEGATION = 1;

    private static final int UID = 1000;
    private static final int CONN_BACK_CHAN = 2;
    private static final int NO_DELEGATION_FOR_A_REASON = 3;
    private static final int CONTENTION = 1;
    private static final int RESOURCE = 2;
    private static final int READ_AND_WANT_READ_DELEGATION = 0x101;

    private final HolderWire wire;
    private final int minor;
    private final String name;
    /**
     * A random first XID, different from that of an earlier client with this name. Otherwise the server would take an
     * NFSv4.0 call for a repetition and send the earlier reply.
     */
    private int xid = ThreadLocalRandom.current().nextInt();

    private long clientid;
    private final byte[] session = new byte[16];
    private int slotSeqid;
    private int openSeqid = 1;
    private byte[] handle = new byte[0];
    private byte[] open = new byte[16];
    private byte[] lock = new byte[16];
    private int statusFlags;

    StateHolder(InetSocketAddress server, int minor, String name) throws IOException {
        this(new HolderWire.OverTcp(server), minor, name);
    }

    StateHolder(HolderWire wire, int minor, String name) throws IOException {
        this.wire = wire;
        this.minor = minor;
        this.name = name;
        connect();
    }

    /** Makes a new connection for all further calls. */
    void connect() throws IOException {
        wire.connect();
    }

    /** Returns the client ID as the server shows it. */
    public String id() {
        return String.format("%016x", clientid);
    }

    /** Returns the status flags of the last SEQUENCE. */
    int statusFlags() {
        return statusFlags;
    }

    /** Returns true if the server has closed the connection. */
    boolean isCutOff() throws IOException {
        return wire.isCutOff();
    }

    private NfsCall compound(int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, UID).string("").word(minor).word(operations);
    }

    private NfsCall begin(int operations) {
        if (minor == 0) {
            return compound(operations);
        }
        return bytes(compound(operations + 1).word(53), session)
                .word(++slotSeqid)
                .word(0)
                .word(0)
                .word(0);
    }

    private static NfsCall bytes(NfsCall call, byte[] words) {
        ByteBuffer from = ByteBuffer.wrap(words);
        while (from.hasRemaining()) {
            call.word(from.getInt());
        }
        return call;
    }

    /**
     * Sends a call. In the returned results, the COMPOUND's status is at 0 and the position is at the first operation.
     */
    private ByteBuffer send(NfsCall call) throws IOException {
        ByteBuffer results = wire.call(call).slice();
        results.getInt();
        NfsCall.opaque(results);
        results.getInt();
        return results;
    }

    private ByteBuffer sendInSession(NfsCall call) throws IOException {
        ByteBuffer results = send(call);
        if (minor > 0 && results.remaining() >= 44 && results.getInt(results.position() + 4) == OK) {
            statusFlags = results.getInt(results.position() + 40);
            results.position(results.position() + 44);
        }
        return results;
    }

    private static int status(ByteBuffer results) {
        return results.getInt(0);
    }

    /** Establishes the client ID. In NFSv4.1 it also sends RECLAIM_COMPLETE. */
    public StateHolder introduced() throws IOException {
        introduce();
        if (minor > 0) {
            assertThat(reclaimComplete()).as("RECLAIM_COMPLETE").isZero();
        }
        return this;
    }

    void introduce() throws IOException {
        if (minor == 0) {
            introduce40();
            return;
        }
        ByteBuffer exchanged =
                send(compound(1).word(42).hyper(7).string(name).word(0).word(0).word(0));
        assertThat(status(exchanged)).as("EXCHANGE_ID").isZero();
        exchanged.position(exchanged.position() + 8);
        clientid = exchanged.getLong();
        ByteBuffer created = createSession(exchanged.getInt());
        assertThat(status(created)).as("CREATE_SESSION").isZero();
        created.position(created.position() + 8);
        created.get(session);
        slotSeqid = 0;
    }

    /** Sends another CREATE_SESSION for the same client ID and returns the status. */
    int createSessionAgain() throws IOException {
        return status(createSession(2));
    }

    private ByteBuffer createSession(int sequence) throws IOException {
        NfsCall call =
                compound(1).word(43).hyper(clientid).word(sequence).word(wire.takesCallbacks() ? CONN_BACK_CHAN : 0);
        for (int channel = 0; channel < 2; channel++) {
            call.word(0).word(1 << 20).word(1 << 20).word(4096).word(16).word(8).word(0);
        }
        return send(call.word(0x4000_0000).word(1).word(0));
    }

    private void introduce40() throws IOException {
        ByteBuffer set = send(compound(1)
                .word(35)
                .hyper(7)
                .string(name)
                .word(0x4000_0000)
                .string("tcp")
                .string("127.0.0.1.0.0")
                .word(1));
        assertThat(status(set)).as("SETCLIENTID").isZero();
        set.position(set.position() + 8);
        clientid = set.getLong();
        assertThat(status(send(compound(1).word(36).hyper(clientid).hyper(set.getLong()))))
                .as("SETCLIENTID_CONFIRM")
                .isZero();
    }

    int reclaimComplete() throws IOException {
        return status(sendInSession(begin(1).word(58).word(0)));
    }

    /** Renews the lease and returns the status. */
    public int renew() throws IOException {
        return minor == 0
                ? status(send(compound(1).word(30).hyper(clientid)))
                : status(sendInSession(begin(1).word(24)));
    }

    /** Opens a file in the root to read and write, creates it if it is missing, and returns the status. */
    public int open(String file) throws IOException {
        NfsCall call = begin(3).word(24)
                .word(18)
                .word(minor == 0 ? openSeqid++ : 0)
                .word(3)
                .word(0)
                .hyper(clientid)
                .string("opener")
                .word(1)
                .word(0)
                .word(2)
                .word(0)
                .word(2)
                .word(4)
                .word(0666)
                .word(0)
                .string(file)
                .word(10);
        ByteBuffer results = sendInSession(call);
        if (status(results) != OK) {
            return status(results);
        }
        results.position(results.position() + 16).get(open);
        results.position(results.position() + 20);
        boolean confirm = (results.getInt() & 2) != 0;
        int words = results.getInt();
        results.position(results.position() + 4 * words);
        assertThat(results.getInt()).as("no delegation").isZero();
        results.position(results.position() + 8);
        handle = NfsCall.opaque(results);
        if (confirm) {
            ByteBuffer confirmed = send(
                    bytes(compound(2).word(22).opaque(handle).word(20), open).word(openSeqid++));
            assertThat(status(confirmed)).as("OPEN_CONFIRM").isZero();
            confirmed.position(confirmed.position() + 16).get(open);
        }
        return OK;
    }

    /** Closes the latest open and returns the status. */
    int closeOpen() throws IOException {
        return status(sendInSession(
                bytes(begin(2).word(22).opaque(handle).word(4).word(minor == 0 ? openSeqid++ : 0), open)));
    }

    /**
     * Opens a file in the root to read and asks for a delegation. Returns the type that was granted. Only for NFSv4.1.
     */
    int openDelegated(String file) throws IOException {
        NfsCall call = begin(3).word(24)
                .word(18)
                .word(0)
                .word(READ_AND_WANT_READ_DELEGATION)
                .word(0)
                .hyper(clientid)
                .string("reader")
                .word(0)
                .word(0)
                .string(file)
                .word(10);
        ByteBuffer results = sendInSession(call);
        assertThat(status(results)).as("OPEN").isZero();
        results.position(results.position() + 16).get(open);
        results.position(results.position() + 24);
        int words = results.getInt();
        results.position(results.position() + 4 * words);
        int kind = results.getInt();
        if (kind == READ_DELEGATION) {
            results.position(results.position() + 32);
            NfsCall.opaque(results);
        } else if (kind == NO_DELEGATION_FOR_A_REASON) {
            int why = results.getInt();
            results.position(results.position() + (why == CONTENTION || why == RESOURCE ? 4 : 0));
        }
        assertThat(results.getInt()).as("GETFH").isEqualTo(10);
        assertThat(results.getInt()).isZero();
        handle = NfsCall.opaque(results);
        return kind;
    }

    /** Locks a range of the open file by WRITE_LT for a new lock-owner, and returns the status. */
    public int lock(String owner, long offset, long length) throws IOException {
        NfsCall call = begin(2).word(22)
                .opaque(handle)
                .word(12)
                .word(2)
                .word(0)
                .hyper(offset)
                .hyper(length)
                .word(1)
                .word(minor == 0 ? openSeqid++ : 0);
        ByteBuffer results =
                sendInSession(bytes(call, open).word(1).hyper(clientid).string(owner));
        if (status(results) == OK) {
            results.position(results.position() + 16).get(lock);
        }
        return status(results);
    }

    /** Reads with the stateid of the latest lock and returns the status. */
    int readLocked() throws IOException {
        return status(sendInSession(
                bytes(begin(2).word(22).opaque(handle).word(25), lock).hyper(0).word(16)));
    }

    /** Frees the stateid of the latest lock by FREE_STATEID and returns the status. */
    int freeLock() throws IOException {
        return status(sendInSession(bytes(begin(1).word(45), lock)));
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
