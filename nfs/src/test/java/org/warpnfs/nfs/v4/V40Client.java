package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** A client that sends RFC 7530 word by word: no sessions, and owners with seqids. */
final class V40Client {
    final V4Server server;
    final V4Client wire;
    final String name;
    long verifier = 1;
    long clientId;
    long confirmVerifier;
    /** Seqid of the one open-owner that most tests need. */
    int openSeqid = 100;

    V40Client(V4Server server, String name) {
        this.server = server;
        this.name = name;
        this.wire = new V4Client(server, name, 0, 0);
    }

    static V40Client mounted(V4Server server, String name) {
        V40Client client = new V40Client(server, name);
        client.connect();
        return client;
    }

    void connect() {
        readClientid(send(setClientid(verifier)));
        assertThat(send(confirm()).status()).isEqualTo(Nfs4Status.OK);
    }

    Reply send(Ops ops) {
        return wire.sendBare(ops);
    }

    Nfs4Status statusOf(Ops ops) {
        return send(ops).status();
    }

    /** Sends operations that must all be OK. */
    Reply run(Ops ops) {
        Reply reply = send(ops);
        assertThat(reply.status()).isEqualTo(Nfs4Status.OK);
        return reply;
    }

    Ops setClientid(long itsVerifier) {
        return setClientid(itsVerifier, "tcp", "127.0.0.1.0.0");
    }

    Ops setClientid(long itsVerifier, String netid, String address) {
        return new Ops().add(OpCode.SETCLIENTID, c -> c.hyper(itsVerifier)
                .string(name)
                .words(0x40000000)
                .string(netid)
                .string(address)
                .words(7));
    }

    Ops confirm() {
        return confirm(clientId, confirmVerifier);
    }

    static Ops confirm(long id, long itsVerifier) {
        return new Ops().add(OpCode.SETCLIENTID_CONFIRM, c -> c.hyper(id).hyper(itsVerifier));
    }

    void readClientid(Reply reply) {
        reply.op(OpCode.SETCLIENTID);
        clientId = reply.hyper();
        confirmVerifier = reply.hyper();
        reply.end();
    }

    Ops renew() {
        return new Ops().renew(clientId);
    }

    /** An OPEN with UNCHECKED and mode 0644, in /data. */
    Ops openCreate(int seqid, String owner, String file, int access, int deny) {
        CreateHow how = CreateHow.unchecked(Fattr.mode(0644));
        return new Ops().data().open(seqid, access, deny, clientId, owner, how, file);
    }

    Ops open(int seqid, String owner, String file, int access) {
        return open(seqid, owner, file, access, CreateHow.nothing());
    }

    Ops open(int seqid, String owner, String file, int access, CreateHow how) {
        return new Ops().data().open(seqid, access, 0, clientId, owner, how, file);
    }

    Ops openPrevious(byte[] handle, int seqid, String owner, int access) {
        return new Ops().putFh(handle).add(OpCode.OPEN, c -> c.words(seqid, access, 0)
                .hyper(clientId)
                .string(owner)
                .words(0, 1, 0));
    }

    static Ops openConfirm(byte[] handle, int[] stateid, int seqid) {
        return new Ops().putFh(handle).add(OpCode.OPEN_CONFIRM, c -> c.words(stateid)
                .words(seqid));
    }

    static Ops close(byte[] handle, int seqid, int[] stateid) {
        return new Ops().putFh(handle).add(OpCode.CLOSE, c -> c.words(seqid).words(stateid));
    }

    static Ops downgrade(byte[] handle, int[] stateid, int seqid, int access, int deny) {
        return new Ops().putFh(handle).add(OpCode.OPEN_DOWNGRADE, c -> c.words(stateid)
                .words(seqid, access, deny));
    }

    /** A write LOCK that introduces a lock-owner. */
    Ops lockNew(byte[] handle, int openSeqid, int[] open, int lockSeqid, String owner, long offset, long length) {
        return lock(0, handle, openSeqid, open, lockSeqid, owner, offset, length);
    }

    /** Does the same as {@link #lockNew} to reclaim a lock from before the server's restart. */
    Ops lockReclaimed(byte[] handle, int openSeqid, int[] open, int lockSeqid, String owner, long offset, long length) {
        return lock(1, handle, openSeqid, open, lockSeqid, owner, offset, length);
    }

    /** A LOCK that waits for a range to write, and introduces a lock-owner. */
    Ops lockWaiting(byte[] handle, int openSeqid, int[] open, int lockSeqid, String owner, long offset, long length) {
        return lock(4, 0, handle, openSeqid, open, lockSeqid, owner, offset, length);
    }

    private Ops lock(
            int reclaim,
            byte[] handle,
            int openSeqid,
            int[] open,
            int lockSeqid,
            String owner,
            long offset,
            long length) {
        return lock(2, reclaim, handle, openSeqid, open, lockSeqid, owner, offset, length);
    }

    private Ops lock(
            int type,
            int reclaim,
            byte[] handle,
            int openSeqid,
            int[] open,
            int lockSeqid,
            String owner,
            long offset,
            long length) {
        return new Ops().putFh(handle).add(OpCode.LOCK, c -> c.words(type, reclaim)
                .hyper(offset)
                .hyper(length)
                .words(1, openSeqid)
                .words(open)
                .words(lockSeqid)
                .hyper(clientId)
                .string(owner));
    }

    static Ops lockMore(byte[] handle, int[] lock, int seqid, long offset, long length) {
        return new Ops().putFh(handle).add(OpCode.LOCK, c -> c.words(2, 0)
                .hyper(offset)
                .hyper(length)
                .words(0)
                .words(lock)
                .words(seqid));
    }

    static Ops unlock(byte[] handle, int[] lock, int seqid, long offset, long length) {
        return new Ops().putFh(handle).add(OpCode.LOCKU, c -> c.words(2, seqid)
                .words(lock)
                .hyper(offset)
                .hyper(length));
    }

    Ops releaseLockOwner(String owner) {
        return new Ops().add(OpCode.RELEASE_LOCKOWNER, c -> c.hyper(clientId).string(owner));
    }

    /** An open that is confirmed, and the file's handle. */
    static final class Opened {
        private final int[] stateid;
        private final byte[] handle;

        Opened(int[] stateid, byte[] handle) {
            this.stateid = stateid;
            this.handle = handle;
        }

        int[] stateid() {
            return stateid;
        }

        byte[] handle() {
            return handle;
        }
    }

    /** Opens and confirms, with {@link #openSeqid}. */
    Opened opened(String owner, String file, int access) {
        Reply reply = run(openCreate(openSeqid++, owner, file, access, 0).getFh());
        int[] stateid = reply.afterData().open();
        byte[] handle = reply.getFh();
        Reply confirmed = run(openConfirm(handle, stateid, openSeqid++));
        confirmed.op(OpCode.PUTFH);
        confirmed.op(OpCode.OPEN_CONFIRM);
        return new Opened(confirmed.stateid(), handle);
    }

    /** The stateid that the operation after a PUTFH returned. */
    static int[] stateidOf(Reply reply, OpCode operation) {
        reply.op(OpCode.PUTFH);
        reply.op(operation);
        return reply.stateid();
    }
}
