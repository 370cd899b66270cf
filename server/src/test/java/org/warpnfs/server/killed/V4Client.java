package org.warpnfs.server.killed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.killed.FileCalls.Answer;

/**
 * A client of NFSv4.0, 4.1 or 4.2 that outlives servers. It establishes its client ID with each server, and holds one
 * file open and locked.
 */
final class V4Client {
    private static final int STALE_CLIENTID = 10_022;
    private static final int BADSESSION = 10_052;
    private static final int RECLAIM_COMPLETE = 58;
    private static final int CALLBACK_PROGRAM = 0x4000_0000;
    private static final int OPERATION_BYTES = 8;
    private static final int RESULT_CONFIRM = 2;
    /** The results of SEQUENCE: number and status, a sessionid4 and five words. */
    private static final int SEQUENCE_BYTES = OPERATION_BYTES + 16 + 20;

    private final int minor;
    private final String name;
    private final int uid;
    private long clientid;
    private boolean known;
    private final byte[] session = new byte[16];
    private int slotSeqid;
    private int openSeqid = 1;
    private int lockOwners;
    private byte[] heldHandle = new byte[0];
    private byte @Nullable [] held;
    private Created created = Created.NONE;

    private static final class Created {
        static final Created NONE = new Created(new byte[0], new byte[0]);

        private final byte[] handle;
        private final byte[] stateid;

        Created(byte[] handle, byte[] stateid) {
            this.handle = handle;
            this.stateid = stateid;
        }

        byte[] handle() {
            return handle;
        }

        byte[] stateid() {
            return stateid;
        }
    }

    V4Client(int minor, String name, int uid) {
        this.minor = minor;
        this.name = name;
        this.uid = uid;
    }

    private NfsCall compound(int xid, int operations) {
        return NfsCall.of(xid, NfsCall.NFS, 4, 1, uid).string("").word(minor).word(operations);
    }

    private static ByteBuffer parsed(ByteBuffer results) {
        ByteBuffer own = results.slice();
        own.getInt();
        NfsCall.opaque(own);
        own.getInt();
        return own;
    }

    private ByteBuffer bare(Link link, Ops ops) throws Exception {
        return parsed(link.answer(ops.writeTo(compound(Link.nextXid(), ops.count()))));
    }

    /**
     * Sends a COMPOUND, with SEQUENCE in front if the version has it. In the returned buffer the COMPOUND's status is
     * at 0, and the position is at the results of the first operation.
     */
    ByteBuffer send(Link link, int xid, Ops ops) throws Exception {
        ByteBuffer results = parsed(link.answer(ops.writeTo(begin(xid, ops.count()))));
        if (minor > 0 && results.getInt(0) == 0) {
            results.position(results.position() + SEQUENCE_BYTES);
        }
        return results;
    }

    private NfsCall begin(int xid, int operations) {
        if (minor == 0) {
            return compound(xid, operations);
        }
        ByteBuffer id = ByteBuffer.wrap(session);
        return compound(xid, operations + 1)
                .word(53)
                .hyper(id.getLong())
                .hyper(id.getLong())
                .word(++slotSeqid)
                .word(0)
                .word(0)
                .word(0);
    }

    /** Sends PUTFH and READ. */
    ByteBuffer read(Link link, Ops ops, int count) throws Exception {
        int before = 12 + (minor > 0 ? SEQUENCE_BYTES : 0) + 2 * OPERATION_BYTES + 4;
        return link.read(ops.writeTo(begin(Link.nextXid(), ops.count())), count, before);
    }

    private static int status(ByteBuffer results) {
        return results.getInt(0);
    }

    /**
     * Establishes the client ID with a restarted server, after checking that it refuses the IDs that a previous server
     * gave.
     */
    void introduce(Link link) throws Exception {
        held = null;
        created = Created.NONE;
        if (minor == 0) {
            introduce40(link);
            return;
        }
        if (known) {
            assertThat(status(send(link, Link.nextXid(), new Ops().putRootFh())))
                    .as("SEQUENCE in a session of a server that was killed")
                    .isEqualTo(BADSESSION);
            assertThat(status(createSession(link, 1)))
                    .as("CREATE_SESSION of its client")
                    .isEqualTo(STALE_CLIENTID);
        }
        ByteBuffer exchanged = bare(link, new Ops().add(42, call -> call.hyper(7)
                .string(name)
                .word(0)
                .word(0)
                .word(0)));
        assertThat(status(exchanged)).as("EXCHANGE_ID").isZero();
        exchanged.position(exchanged.position() + OPERATION_BYTES);
        clientid = exchanged.getLong();
        ByteBuffer made = createSession(link, exchanged.getInt());
        assertThat(status(made)).as("CREATE_SESSION").isZero();
        made.position(made.position() + OPERATION_BYTES);
        made.get(session);
        slotSeqid = 0;
        known = true;
    }

    private ByteBuffer createSession(Link link, int sequence) throws Exception {
        return bare(link, new Ops().add(43, call -> {
                    call.hyper(clientid).word(sequence).word(0);
                    for (int channel = 0; channel < 2; channel++) {
                        call.word(0)
                                .word(1 << 20)
                                .word(1 << 20)
                                .word(4096)
                                .word(16)
                                .word(8)
                                .word(0);
                    }
                    return call.word(CALLBACK_PROGRAM).word(1).word(0);
                }));
    }

    private void introduce40(Link link) throws Exception {
        if (known) {
            assertThat(renew(link))
                    .as("RENEW with a server that was started anew")
                    .isEqualTo(STALE_CLIENTID);
        }
        ByteBuffer set = bare(link, new Ops().add(35, call -> call.hyper(7)
                .string(name)
                .word(CALLBACK_PROGRAM)
                .string("tcp")
                .string("127.0.0.1.0.0")
                .word(1)));
        assertThat(status(set)).as("SETCLIENTID").isZero();
        set.position(set.position() + OPERATION_BYTES);
        clientid = set.getLong();
        long confirm = set.getLong();
        assertThat(status(bare(
                        link, new Ops().add(36, call -> call.hyper(clientid).hyper(confirm)))))
                .as("SETCLIENTID_CONFIRM")
                .isZero();
        known = true;
    }

    /** Renews the lease. */
    int renew(Link link) throws Exception {
        return minor == 0
                ? status(bare(link, new Ops().add(30, call -> call.hyper(clientid))))
                : status(send(link, Link.nextXid(), new Ops().putRootFh()));
    }

    /** Sends RECLAIM_COMPLETE, if the version has it. */
    void completeReclaim(Link link) throws Exception {
        if (minor > 0) {
            assertThat(status(send(link, Link.nextXid(), new Ops().add(RECLAIM_COMPLETE, call -> call.word(0)))))
                    .as("RECLAIM_COMPLETE")
                    .isZero();
        }
    }

    private int nextOpenSeqid() {
        return minor == 0 ? openSeqid++ : 0;
    }

    /** Makes a file and leaves it open. */
    Answer create(Link link, int xid, byte[] directory, String file) throws Exception {
        return open(link, xid, directory, file, true);
    }

    /** Opens an existing file, which stays open until {@link #closeCreated}. */
    Answer open(Link link, byte[] directory, String file) throws Exception {
        return open(link, Link.nextXid(), directory, file, false);
    }

    private Answer open(Link link, int xid, byte[] directory, String file, boolean create) throws Exception {
        Ops ops = new Ops()
                .putFh(directory)
                .open(nextOpenSeqid(), clientid, "opener", create, file)
                .getFh();
        ByteBuffer results = send(link, xid, ops);
        if (status(results) != FileCalls.OK) {
            return new Answer(status(results));
        }
        results.position(results.position() + OPERATION_BYTES);
        byte[] stateid = new byte[16];
        boolean confirm = readOpen(results, stateid);
        results.position(results.position() + OPERATION_BYTES);
        byte[] handle = NfsCall.opaque(results);
        if (confirm) {
            confirm(link, handle, stateid);
        }
        created = new Created(handle, stateid);
        return new Answer(FileCalls.OK, handle, 0, 0);
    }

    private void confirm(Link link, byte[] handle, byte[] stateid) throws Exception {
        ByteBuffer confirmed =
                send(link, Link.nextXid(), new Ops().putFh(handle).openConfirm(stateid, nextOpenSeqid()));
        assertThat(status(confirmed)).as("OPEN_CONFIRM").isZero();
        confirmed.position(confirmed.position() + 2 * OPERATION_BYTES).get(stateid);
    }

    /** Reads OPEN4resok. Returns true if the open has to be confirmed. */
    private static boolean readOpen(ByteBuffer results, byte[] stateid) {
        results.position(results.position() + OPERATION_BYTES).get(stateid);
        results.position(results.position() + 20);
        boolean confirm = (results.getInt() & RESULT_CONFIRM) != 0;
        skipBitmap(results);
        assertThat(results.getInt())
                .as("a delegation of one that cannot be called")
                .isZero();
        return confirm;
    }

    static void skipBitmap(ByteBuffer results) {
        int words = results.getInt();
        results.position(results.position() + 4 * words);
    }

    void closeCreated(Link link) throws Exception {
        Created opened = created;
        created = Created.NONE;
        if (opened != Created.NONE) {
            assertThat(status(send(
                            link,
                            Link.nextXid(),
                            new Ops().putFh(opened.handle()).close(nextOpenSeqid(), opened.stateid()))))
                    .as("CLOSE")
                    .isZero();
        }
    }

    /** Holds the file that was made last. */
    void holdCreated() {
        heldHandle = created.handle();
        held = created.stateid();
        created = Created.NONE;
    }

    /** Reclaims the held file by CLAIM_PREVIOUS and returns the status. */
    int reclaimOpen(Link link) throws Exception {
        ByteBuffer results = send(
                link, Link.nextXid(), new Ops().putFh(heldHandle).reclaimOpen(nextOpenSeqid(), clientid, "opener"));
        if (status(results) == FileCalls.OK) {
            byte[] stateid = new byte[16];
            results.position(results.position() + OPERATION_BYTES);
            if (readOpen(results, stateid)) {
                throw new AssertionError("a reclaimed open that is to be confirmed");
            }
            held = stateid;
        }
        return status(results);
    }

    /** Locks the held file and returns the status. */
    int lock(Link link, boolean reclaim) throws Exception {
        byte[] open = held == null ? new byte[16] : held;
        return lock(link, heldHandle, open, reclaim);
    }

    /** Locks the file that was opened last and returns the status. */
    int lockCreated(Link link) throws Exception {
        return lock(link, created.handle(), created.stateid(), false);
    }

    private int lock(Link link, byte[] handle, byte[] open, boolean reclaim) throws Exception {
        String owner = "locker " + lockOwners++;
        return status(send(
                link, Link.nextXid(), new Ops().putFh(handle).lock(reclaim, nextOpenSeqid(), open, clientid, owner)));
    }

    /** Returns the stateid for WRITEs to a file; null if the file is not the held one. */
    byte @Nullable [] stateidOf(byte[] handle) {
        return Arrays.equals(handle, heldHandle) ? held : null;
    }
}
