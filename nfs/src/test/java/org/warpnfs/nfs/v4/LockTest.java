package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** LOCK, LOCKT and LOCKU, and the removal of lock stateids and lock-owners. */
class LockTest {
    private static final int READ_LT = 1;
    private static final int WRITE_LT = 2;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);
    private final V4Client other = V4Client.mounted(server, "other", 0);
    private int[] open;
    private int[] theirs;

    @BeforeEach
    void openByBoth() {
        open = client.create("f");
        theirs = other.open("o", "f", 3);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private int[] locked(long offset, long length) {
        Reply locked = client.run(file().lock(WRITE_LT, false, offset, length, open, "alice"));
        locked.afterFile().op(OpCode.LOCK);
        return locked.stateid();
    }

    private static void assertDenied(Reply denied, long offset, long length, long clientId, String owner) {
        denied.op(OpCode.LOCK, Nfs4Status.DENIED);
        assertThat(denied.hyper()).as("offset").isEqualTo(offset);
        assertThat(denied.hyper()).as("length").isEqualTo(length);
        assertThat(denied.word()).as("type").isEqualTo(WRITE_LT);
        assertThat(denied.hyper()).as("client id").isEqualTo(clientId);
        assertThat(denied.string()).isEqualTo(owner);
        denied.end();
    }

    @Test
    void lock_heldByAnotherClient_isDeniedWithItsHolder() {
        locked(10, 10);

        Reply denied = other.send(file().lock(READ_LT, false, 0, -1, theirs, "bob"));

        assertDenied(denied.afterFile(), 10, 10, client.clientId, "alice");
    }

    @Test
    void unlock_ofAll_letsOthersLock() {
        int[] lock = locked(10, 10);

        client.run(file().unlock(lock, 0, -1));

        assertThat(other.statusOf(file().lock(WRITE_LT, false, 0, -1, theirs, "bob")))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void freeStateid_ofALockStateid_isDoneOnceNothingIsLocked() {
        int[] lock = locked(10, 10);
        client.run(file().unlock(lock, 0, -1));

        assertThat(client.statusOf(new Ops().freeStateid(lock))).isEqualTo(Nfs4Status.OLD_STATEID);

        lock[0] = 0;
        assertThat(client.statusOf(new Ops().freeStateid(lock))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().freeStateid(lock))).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void freeStateid_ofAnOpenStateid_isLocksHeld() {
        assertThat(client.statusOf(new Ops().freeStateid(open))).isEqualTo(Nfs4Status.LOCKS_HELD);
    }

    @Test
    void locks_ofTwoOwnersInMinorVersion0_excludeEachOther() {
        V40Client old = V40Client.mounted(server, "old");
        Opened file = old.opened("o", "g", 3);
        old.run(old.lockNew(file.handle(), old.openSeqid++, file.stateid(), 1, "l", 0, 10));

        Reply denied = old.send(old.lockNew(file.handle(), old.openSeqid++, file.stateid(), 1, "m", 5, 10));

        denied.op(OpCode.PUTFH);
        assertDenied(denied, 0, 10, old.clientId, "l");
        assertThat(old.statusOf(new Ops().putFh(file.handle()).lockTest(WRITE_LT, 0, 1, old.clientId, "m")))
                .as("LOCKT")
                .isEqualTo(Nfs4Status.DENIED);
    }

    @Test
    void lock_ofAKnownLockOwnerInMinorVersion0_needsItsSeqid() {
        V40Client old = V40Client.mounted(server, "old");
        Opened file = old.opened("o", "g", 3);
        old.run(old.lockNew(file.handle(), old.openSeqid++, file.stateid(), 1, "l", 0, 10));

        assertThat(old.statusOf(old.lockNew(file.handle(), old.openSeqid, file.stateid(), 9, "l", 20, 1)))
                .isEqualTo(Nfs4Status.BAD_SEQID);
    }

    @Test
    void releaseLockOwner_holdingALock_isLocksHeldUntilItIsGivenBack() {
        V40Client old = V40Client.mounted(server, "old");
        Opened file = old.opened("o", "g", 3);
        Ops first = old.lockNew(file.handle(), old.openSeqid++, file.stateid(), 1, "l", 0, 10);
        int[] lock = V40Client.stateidOf(old.run(first), OpCode.LOCK);
        assertThat(old.statusOf(old.releaseLockOwner("l"))).isEqualTo(Nfs4Status.LOCKS_HELD);

        Ops unlock = V40Client.unlock(file.handle(), lock, 2, 0, 10);
        int[] unlocked = V40Client.stateidOf(old.run(unlock), OpCode.LOCKU);
        old.run(old.releaseLockOwner("l"));

        assertThat(old.statusOf(V40Client.lockMore(file.handle(), unlocked, 3, 0, 1)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        old.run(old.lockNew(file.handle(), old.openSeqid++, file.stateid(), 500, "l", 0, 10));
    }

    @Test
    void close_inMinorVersion0_letsTheLocksGo() {
        V40Client old = V40Client.mounted(server, "old");
        int before = server.program().counts().stateids();
        Opened file = old.opened("o", "g", 3);
        old.run(old.lockNew(file.handle(), old.openSeqid++, file.stateid(), 500, "l", 0, 10));

        old.run(V40Client.close(file.handle(), old.openSeqid++, file.stateid()));

        assertThat(server.program().counts().locks()).isZero();
        assertThat(server.program().counts().stateids()).isEqualTo(before);
    }
}
