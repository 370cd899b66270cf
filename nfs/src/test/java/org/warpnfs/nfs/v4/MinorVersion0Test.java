package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** What COMPOUNDs of NFSv4.0 have and lack beside those of later minor versions. */
class MinorVersion0Test {
    private final V4Server server = new V4Server();
    private final V40Client client = V40Client.mounted(server, "c");

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void operations_ofLaterMinorVersions_areIllegal() {
        for (int number : new int[] {2, 40, 42, 43, 53, 58, 59, 68, 72, 75}) {
            Reply reply = client.send(new Ops().op(number));
            assertThat(reply.status()).as("operation %d", number).isEqualTo(Nfs4Status.OP_ILLEGAL);
            reply.op(10044, Nfs4Status.OP_ILLEGAL);
        }
        assertThat(client.statusOf(new Ops().add(OpCode.DELEGPURGE, c -> c.hyper(client.clientId))))
                .as("DELEGPURGE")
                .isEqualTo(Nfs4Status.NOTSUPP);
    }

    @Test
    void operations_ofThisMinorVersionAlone_areNotSupportedLater() {
        V4Client modern = V4Client.mounted(server, "modern", 0);
        assertThat(modern.statusOf(new Ops().add(OpCode.RENEW, c -> c.hyper(client.clientId))))
                .isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(modern.statusOf(
                        new Ops().add(OpCode.RELEASE_LOCKOWNER, c -> c.hyper(0).string("l"))))
                .isEqualTo(Nfs4Status.NOTSUPP);
    }

    @Test
    void statuses_thatCameLater_haveTheirOldNames() {
        Ops tooMany = new Ops();
        for (int i = 0; i < 65; i++) {
            tooMany.root();
        }
        assertThat(client.statusOf(tooMany)).isEqualTo(Nfs4Status.RESOURCE);
        client.run(new Ops().data().add(OpCode.CREATE, c -> c.words(7) // NF4FIFO
                .string("fifo")
                .words(0, 0)));
        assertThat(client.statusOf(client.open(1, "o", "fifo", 1))).isEqualTo(Nfs4Status.SYMLINK);
        assertThat(client.statusOf(new Ops().data().op(OpCode.READLINK))).isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void restoreFh_withNothingSaved_hasAnErrorOfItsOwn() {
        assertThat(client.statusOf(new Ops().root().op(OpCode.RESTOREFH))).isEqualTo(Nfs4Status.RESTOREFH);
        V4Client modern = V4Client.mounted(server, "modern", 0);
        assertThat(modern.statusOf(new Ops().root().op(OpCode.RESTOREFH))).isEqualTo(Nfs4Status.NOFILEHANDLE);
    }

    @Test
    void secinfo_keepsTheCurrentFilehandle() {
        client.opened("o", "f", 3);
        Reply reply = client.run(new Ops().data().named(OpCode.SECINFO, "f").getFh());
        assertThat(reply.count()).isEqualTo(4);
    }

    @Test
    void attributes_areThoseOfRfc7530() {
        Reply reply = client.run(new Ops().root().getAttr(1));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(reply.word())).containsExactly(1);
        int bytes = reply.word();
        int[] supported = reply.words(reply.word());
        assertThat(supported).hasSize(2);
        assertThat(bytes).isEqualTo(4 + 4 * supported.length);
        assertThat(supported[1] >>> (56 - 32)).as("nothing above 55").isZero();
        assertThat(client.statusOf(new Ops().root().getAttr(0, 0, 1 << (75 - 64))))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void open_withWhatCameLater_isRefused() {
        Opened open = client.opened("o", "f", 3);
        assertThat(client.statusOf(client.open(client.openSeqid++, "o", "f", 0x0401)))
                .as("a wish for delegations")
                .isEqualTo(Nfs4Status.INVAL);
        Ops byHandle = new Ops().putFh(open.handle()).add(OpCode.OPEN, c -> c.words(client.openSeqid, 1, 0)
                .hyper(client.clientId)
                .string("o")
                .words(0, 4));
        assertThat(client.statusOf(byHandle)).as("CLAIM_FH").isEqualTo(Nfs4Status.BADXDR);
        Ops exclusive41 = new Ops().data().add(OpCode.OPEN, c -> c.words(client.openSeqid, 2, 0)
                .hyper(client.clientId)
                .string("o")
                .words(1, 3)
                .hyper(5)
                .words(0, 0, 0)
                .string("x"));
        assertThat(client.statusOf(exclusive41)).as("EXCLUSIVE4_1").isEqualTo(Nfs4Status.BADXDR);
    }

    @Test
    void exclusiveCreate_repeatedByVerifier_findsItsFile() {
        for (int round = 0; round < 2; round++) {
            Ops exclusive = new Ops().data().add(OpCode.OPEN, c -> c.words(client.openSeqid++, 2, 0)
                    .hyper(client.clientId)
                    .string("o")
                    .words(1, 2)
                    .hyper(0x1234_5678_9abc_def0L)
                    .words(0)
                    .string("exclusive"));
            Reply reply = client.run(exclusive.getFh());
            int[] stateid = reply.afterData().open();
            if (round == 0) {
                client.run(V40Client.openConfirm(reply.getFh(), stateid, client.openSeqid++));
            }
        }
        Ops other = new Ops().data().add(OpCode.OPEN, c -> c.words(client.openSeqid++, 2, 0)
                .hyper(client.clientId)
                .string("o")
                .words(1, 2)
                .hyper(1)
                .words(0)
                .string("exclusive"));
        assertThat(client.statusOf(other)).isEqualTo(Nfs4Status.EXIST);
    }

    @Test
    void removal_beneathAnOpen_needsNoSession() {
        Opened open = client.opened("o", "f", 3);
        client.run(new Ops().data().named(OpCode.REMOVE, "f"));
        client.run(V40Client.close(open.handle(), client.openSeqid, open.stateid()));
    }
}
