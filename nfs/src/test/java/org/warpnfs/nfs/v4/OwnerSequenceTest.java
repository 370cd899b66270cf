package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Owners of NFSv4.0, their seqids, confirmations and repetitions (RFC 7530, sections 9.1.7 to 9.1.11). */
class OwnerSequenceTest {

    private final V4Server server = new V4Server();
    private final V40Client client = V40Client.mounted(server, "c");

    @AfterEach
    void stop() {
        server.close();
    }

    private byte[] bytes(Ops ops) {
        byte[] reply = server.send(client.wire.message("", 0, ops));
        return Arrays.copyOfRange(reply, 4, reply.length);
    }

    @Test
    void open_ofANewOwner_mustBeConfirmedBeforeItIsUsed() {
        Reply reply = client.run(client.openCreate(77, "o", "f", 3, 0).getFh());
        reply.afterData().op(OpCode.OPEN);
        int[] stateid = reply.stateid();
        reply.words(5);
        assertThat(reply.word()).as("rflags: POSIX locks and CONFIRM").isEqualTo(6);
        reply.words(reply.word());
        assertThat(reply.word()).as("no delegation").isZero();
        byte[] handle = reply.getFh();
        assertThat(client.statusOf(new Ops().putFh(handle).write(stateid, 0, 2, "x")))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(V40Client.close(handle, 78, stateid))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(V40Client.openConfirm(handle, stateid, 80))).isEqualTo(Nfs4Status.BAD_SEQID);

        int[] confirmed =
                V40Client.stateidOf(client.run(V40Client.openConfirm(handle, stateid, 78)), OpCode.OPEN_CONFIRM);
        assertThat(confirmed[0]).as("its seqid").isEqualTo(stateid[0] + 1);

        client.run(new Ops().putFh(handle).write(confirmed, 0, 2, "x"));
        assertThat(client.statusOf(V40Client.openConfirm(handle, confirmed, 79)))
                .as("again")
                .isEqualTo(Nfs4Status.BAD_STATEID);

        Reply second = client.run(client.open(79, "o", "f", 1));
        second.afterData().op(OpCode.OPEN);

        second.stateid();
        second.words(5);
        assertThat(second.word()).as("rflags of the second OPEN").isEqualTo(4);
    }

    @Test
    void open_ofAnUnconfirmedOwner_replacesWhatItHad() {
        Reply first = client.run(client.openCreate(5, "o", "f", 3, 0).getFh());
        int[] late = first.afterData().open();
        byte[] handle = first.getFh();

        Reply second = client.run(client.openCreate(900, "o", "g", 3, 0));

        second.afterData().open();
        assertThat(server.program().counts().opens()).isEqualTo(1);
        assertThat(client.statusOf(V40Client.openConfirm(handle, late, 6))).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void repetition_ofEachOperation_getsTheSameBytesAndIsNotExecutedAgain() {
        Opened open = client.opened("o", "f", 3);
        int seqid = client.openSeqid;
        Ops reopen = client.openCreate(seqid, "o", "f", 1, 0).getFh();
        byte[] opened = bytes(reopen);

        assertThat(bytes(reopen)).isEqualTo(opened);

        int[] upgraded = open.stateid().clone();
        upgraded[0]++;
        Ops downgrade = V40Client.downgrade(open.handle(), upgraded, seqid + 1, 1, 0);
        byte[] downgraded = bytes(downgrade);

        assertThat(bytes(downgrade)).isEqualTo(downgraded);

        int[] reader = upgraded.clone();
        reader[0]++;
        // A write lock under an open for reading alone.
        Ops refusedLock = client.lockNew(open.handle(), seqid + 2, reader, 40, "l", 0, 10);
        byte[] refused = bytes(refusedLock);

        assertThat(bytes(refusedLock)).isEqualTo(refused);

        int[] writer =
                client.run(client.open(seqid + 3, "o", "f", 3)).afterData().open();
        Ops lock = client.lockNew(open.handle(), seqid + 4, writer, 41, "l", 0, 10);
        byte[] locked = bytes(lock);
        assertThat(bytes(lock)).isEqualTo(locked);

        int[] lockStateid = V40Client.stateidOf(client.run(lock), OpCode.LOCK);
        Ops more = V40Client.lockMore(open.handle(), lockStateid, 42, 20, 10);
        byte[] lockedMore = bytes(more);
        assertThat(bytes(more)).isEqualTo(lockedMore);

        lockStateid[0]++;
        Ops unlock = V40Client.unlock(open.handle(), lockStateid, 43, 0, 10);
        byte[] unlocked = bytes(unlock);
        assertThat(bytes(unlock)).isEqualTo(unlocked);
        assertThat(server.program().counts().locks()).isEqualTo(1);

        Ops close = V40Client.close(open.handle(), seqid + 5, writer);
        byte[] closed = bytes(close);
        assertThat(server.program().counts().opens()).isZero();
        assertThat(bytes(close)).isEqualTo(closed);
        assertThat(client.statusOf(close)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void close_answersTheStateidOneOn_andIsForgottenWithTheNextRequest() {
        Opened open = client.opened("o", "f", 3);
        Ops close = V40Client.close(open.handle(), client.openSeqid, open.stateid());

        assertThat(V40Client.stateidOf(client.run(close), OpCode.CLOSE)[0]).isEqualTo(open.stateid()[0] + 1);
        assertThat(client.statusOf(V40Client.close(open.handle(), client.openSeqid + 1, open.stateid())))
                .as("another CLOSE of what is closed")
                .isEqualTo(Nfs4Status.BAD_STATEID);

        client.run(client.open(client.openSeqid + 1, "o", "f", 1));
        assertThat(client.statusOf(close)).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void owner_withNothingOpen_isForgottenAfterALease() {
        Opened open = client.opened("o", "f", 3);
        client.run(V40Client.close(open.handle(), client.openSeqid, open.stateid()));

        assertThat(client.statusOf(client.open(7, "o", "f", 1)))
                .as("it is known")
                .isEqualTo(Nfs4Status.BAD_SEQID);

        server.pass(V4Server.LEASE.minusSeconds(1));
        client.run(client.renew());
        server.pass(V4Server.LEASE.minusSeconds(1));
        client.run(client.renew());

        assertThat(client.statusOf(client.open(7, "o", "f", 1)))
                .as("any seqid will do")
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void seqid_ofSomeoneElse_isBad_andAFailureUsesItUp() {
        Opened open = client.opened("o", "f", 3);
        int seqid = client.openSeqid;

        assertThat(client.statusOf(client.open(seqid + 1, "o", "f", 1))).isEqualTo(Nfs4Status.BAD_SEQID);
        assertThat(client.statusOf(client.open(seqid - 2, "o", "f", 1))).isEqualTo(Nfs4Status.BAD_SEQID);
        assertThat(client.statusOf(V40Client.close(open.handle(), seqid - 1, open.stateid())))
                .as("the seqid of the OPEN_CONFIRM before, with another operation")
                .isEqualTo(Nfs4Status.BAD_SEQID);
        assertThat(client.statusOf(client.open(seqid, "o", "none", 1))).isEqualTo(Nfs4Status.NOENT);
        assertThat(client.statusOf(client.open(seqid, "o", "none", 1)))
                .as("repeated")
                .isEqualTo(Nfs4Status.NOENT);
        assertThat(client.statusOf(client.open(seqid + 1, "o", "", 1)))
                .as("a name of no length")
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(client.open(seqid + 2, "o", "f", 9)))
                .as("no share access")
                .isEqualTo(Nfs4Status.INVAL);
        // These do not advance it: the owner is not known from them, or they were never examined.
        assertThat(client.statusOf(new Ops().add(OpCode.OPEN, c -> c.words(seqid + 3, 1, 0)
                        .hyper(client.clientId)
                        .string("o")
                        .words(0, 0)
                        .string("f"))))
                .isEqualTo(Nfs4Status.NOFILEHANDLE);

        int[] bad = open.stateid().clone();
        bad[0] += 5;
        assertThat(client.statusOf(V40Client.close(open.handle(), seqid + 3, bad)))
                .isEqualTo(Nfs4Status.BAD_STATEID);

        int[] old = open.stateid().clone();
        old[0]--;
        assertThat(client.statusOf(V40Client.close(open.handle(), seqid + 3, old)))
                .isEqualTo(Nfs4Status.OLD_STATEID);
        assertThat(client.statusOf(V40Client.close(open.handle(), seqid + 4, open.stateid())))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void seqid_wrapsAround() {
        client.openSeqid = -2;
        Opened open = client.opened("o", "f", 3);

        assertThat(client.openSeqid).isZero();

        client.run(V40Client.close(open.handle(), 0, open.stateid()));
    }

    @Test
    void stateid_ofSeqidZero_isNotWhicheverThereIs() {
        Opened open = client.opened("o", "f", 3);
        int[] zero = open.stateid().clone();
        zero[0] = 0;

        assertThat(client.statusOf(new Ops().putFh(open.handle()).read(zero, 0, 1)))
                .isEqualTo(Nfs4Status.OLD_STATEID);

        int[] current = {1, 0, 0, 0};
        assertThat(client.statusOf(new Ops().putFh(open.handle()).read(current, 0, 1)))
                .as("the current stateid of NFSv4.1")
                .isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void denial_ofTheLongestOwner_isRepeatedWhole() {
        Opened open = client.opened("o", "f", 3);
        String longest = "x".repeat(1024);
        client.run(client.lockNew(open.handle(), client.openSeqid++, open.stateid(), 1, longest, 0, 10));
        Ops denied = client.lockNew(open.handle(), client.openSeqid, open.stateid(), 1, "m", 5, 10);
        byte[] first = bytes(denied);

        assertThat(first.length).isGreaterThan(1024);
        assertThat(bytes(denied)).isEqualTo(first);
        assertThat(client.statusOf(denied)).isEqualTo(Nfs4Status.DENIED);
    }
}
