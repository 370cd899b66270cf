package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Opening, locking and closing files through the operations for it. */
class OpenFilesTest {
    private static final int[] ZERO = new int[4];

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private int[] create(String name) {
        return client.run(new Ops().data().openCreate("o", name, 3, 0))
                .afterData()
                .open();
    }

    @Test
    void open_forReading_doesNotWrite() {
        server.newFile("f", 0666, new byte[3]);
        int[] stateid =
                client.run(new Ops().data().open("o", "f", 1, 0)).afterData().open();
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, 0, 2, "x")))
                .isEqualTo(Nfs4Status.OPENMODE);
        int[] both =
                client.run(new Ops().data().open("o", "f", 2, 0)).afterData().open();
        assertThat(both[0]).isEqualTo(2);
        assertThat(client.statusOf(new Ops().data().lookup("f").write(both, 0, 2, "x")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, 0, 2, "x")))
                .isEqualTo(Nfs4Status.OLD_STATEID);
        // Down to the first again.
        Reply down = client.run(new Ops().data().lookup("f").add(OpCode.OPEN_DOWNGRADE, c -> c.words(both)
                .words(0, 1, 0)));
        down.afterData().op(OpCode.LOOKUP);
        down.op(OpCode.OPEN_DOWNGRADE);
        int[] downgraded = down.stateid();
        assertThat(client.statusOf(new Ops().data().lookup("f").write(downgraded, 0, 2, "x")))
                .isEqualTo(Nfs4Status.OPENMODE);
        assertThat(client.statusOf(new Ops().data().lookup("f").close(downgraded)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").close(downgraded)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().counts().opens()).isZero();
    }

    @Test
    void open_denied_isShareDeniedAndAnonymousIsLocked() {
        V4Client other = V4Client.mounted(server, "other", 0);
        client.run(new Ops().data().openCreate("o", "f", 3, 2));
        assertThat(other.statusOf(new Ops().data().open("o", "f", 2, 0))).isEqualTo(Nfs4Status.SHARE_DENIED);
        assertThat(other.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.OK);
        assertThat(other.statusOf(new Ops().data().lookup("f").write(ZERO, 0, 2, "x")))
                .isEqualTo(Nfs4Status.LOCKED);
        assertThat(other.statusOf(new Ops().data().lookup("f").read(ZERO, 0, 1)))
                .isEqualTo(Nfs4Status.OK);
        // Courtesy ends where another wants the file.
        server.pass(V4Server.LEASE.plusSeconds(1));
        assertThat(other.statusOf(new Ops().data().open("o", "f", 2, 0))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops())).isEqualTo(Nfs4Status.BADSESSION);
    }

    @Test
    void open_byTheOwnerThatDenies_isDeniedToo() {
        client.run(new Ops().data().openCreate("o", "f", 3, 1));
        assertThat(client.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.SHARE_DENIED);
        assertThat(client.statusOf(new Ops().data().open("o", "f", 2, 0))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void open_ofADeniedFileWithoutPermission_isAccess() {
        client.run(new Ops().data().openCreate("o", "f", 3, 3));
        V4Client stranger = V4Client.mounted(server, "stranger", 4711);
        assertThat(stranger.statusOf(new Ops().data().open("o", "f", 2, 0))).isEqualTo(Nfs4Status.ACCESS);
        assertThat(stranger.statusOf(new Ops().data().open("o", "f", 1, 0))).isEqualTo(Nfs4Status.SHARE_DENIED);
    }

    /** Whoever denies writing denies cutting as well, also where the one who cuts only wants to read. */
    @Test
    void open_uncheckedThatCuts_isDeniedToReadersWhereWritingIs() {
        server.newFile("f", 0666, new byte[100]);
        V4Client other = V4Client.mounted(server, "other", 0);
        int[] denying =
                other.run(new Ops().data().open("o", "f", 1, 2)).afterData().open();
        Ops cutting = new Ops().data().add(OpCode.OPEN, c -> c.words(0, 1, 0)
                .hyper(0)
                .string("o")
                .words(1, 0)
                .words(1, 1 << 4, 8)
                .hyper(0)
                .words(0)
                .string("f"));
        assertThat(client.statusOf(cutting)).isEqualTo(Nfs4Status.SHARE_DENIED);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.VERIFY, c -> c.words(1, 1 << 4, 8)
                        .hyper(100))))
                .as("VERIFY of the size")
                .isEqualTo(Nfs4Status.OK);
        other.run(new Ops().data().lookup("f").close(denying));
        assertThat(client.statusOf(cutting)).isEqualTo(Nfs4Status.OK);
    }

    /** As open(2) does on a file system that is mounted read-only. */
    @Test
    void open_thatWouldCreate_inAReadOnlyExport_opensWhatIsThere() {
        server.newFile("f", 0666, new byte[100]);
        assertThat(client.statusOf(new Ops().root().lookup("ro").openCreate("o", "f", 1, 0)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().root().lookup("ro").openCreate("o", "f", 3, 0)))
                .as("to write")
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().root().lookup("ro").openCreate("o", "new", 1, 0)))
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().root().lookup("ro").add(OpCode.OPEN, c -> c.words(0, 1, 0)
                        .hyper(0)
                        .string("o")
                        .words(1, 1)
                        .words(0, 0)
                        .words(0)
                        .string("f"))))
                .as("GUARDED")
                .isEqualTo(Nfs4Status.EXIST);
        assertThat(client.statusOf(new Ops().root().lookup("ro").add(OpCode.OPEN, c -> c.words(0, 1, 0)
                        .hyper(0)
                        .string("o")
                        .words(1, 0)
                        .words(1, 1 << 4, 8)
                        .hyper(0)
                        .words(0)
                        .string("f"))))
                .as("to cut it")
                .isEqualTo(Nfs4Status.ROFS);
    }

    @Test
    void open_uncheckedWithASize_setsThatOfANewFileAlone() {
        for (int size : new int[] {100, 50}) {
            Reply reply = client.run(new Ops()
                    .data()
                    .add(OpCode.OPEN, c -> c.words(0, 3, 0)
                            .hyper(0)
                            .string("o")
                            .words(1, 0)
                            .words(1, 1 << 4, 8)
                            .hyper(size)
                            .words(0)
                            .string("sized"))
                    .getAttr(1 << 4));
            reply.afterData().open();
            reply.op(OpCode.GETATTR);
            assertThat(reply.words(5)).containsExactly(1, 1 << 4, 8, 0, 100);
        }
    }

    @Test
    void open_exclusive_findsItsOwnFileAgain() {
        Ops exclusive = new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                .hyper(0)
                .string("o")
                .words(1, 3)
                .hyper(0x1234)
                .words(2, 0, 1 << 1, 4, 0600)
                .words(0)
                .string("x"));
        int[] first = client.run(exclusive).afterData().open();
        int[] second = client.run(exclusive).afterData().open();
        assertThat(second[3]).isEqualTo(first[3]);
        Ops other = new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                .hyper(0)
                .string("o")
                .words(1, 2)
                .hyper(0x9999)
                .words(0)
                .string("x"));
        assertThat(client.statusOf(other)).isEqualTo(Nfs4Status.EXIST);
    }

    @Test
    void open_byHandleAndOfWhatIsNoFile_hasItsStatus() {
        server.newFile("f", 0644, new byte[1]);
        assertThat(client.statusOf(new Ops().data().lookup("f").openFh("o", 3))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().openFh("o", 1))).isEqualTo(Nfs4Status.ISDIR);
        assertThat(client.statusOf(new Ops().data().open("o", "none", 1, 0))).isEqualTo(Nfs4Status.NOENT);
        client.uid = 2000;
        assertThat(client.statusOf(new Ops().data().lookup("f").openFh("p", 2))).isEqualTo(Nfs4Status.ACCESS);
        assertThat(client.statusOf(new Ops().root().lookup("ro").lookup("f").openFh("p", 2)))
                .isEqualTo(Nfs4Status.ROFS);
    }

    @Test
    void lock_ofAnotherClient_isDeniedWithItsHolder() {
        V4Client other = V4Client.mounted(server, "other", 0);
        int[] open = create("f");
        int[] theirs =
                other.run(new Ops().data().open("o", "f", 3, 0)).afterData().open();
        Reply locked = client.run(new Ops().data().lookup("f").lock(2, false, 10, 10, open, "alice"));
        locked.afterData().op(OpCode.LOOKUP);
        locked.op(OpCode.LOCK);
        int[] lock = locked.stateid();
        Reply denied = other.send(new Ops().data().lookup("f").lock(1, false, 0, -1, theirs, "bob"));
        denied.afterData().op(OpCode.LOOKUP);
        denied.op(OpCode.LOCK, Nfs4Status.DENIED);
        assertThat(denied.hyper()).isEqualTo(10);
        assertThat(denied.hyper()).isEqualTo(10);
        assertThat(denied.word()).isEqualTo(2);
        assertThat(denied.hyper()).isEqualTo(client.clientId);
        assertThat(denied.string()).isEqualTo("alice");
        denied.end();
        client.run(new Ops().data().lookup("f").unlock(lock, 0, -1));
        assertThat(other.statusOf(new Ops().data().lookup("f").lock(2, false, 0, -1, theirs, "bob")))
                .isEqualTo(Nfs4Status.OK);
        // Held, then not, then freed.
        assertThat(client.statusOf(new Ops().stateid(OpCode.FREE_STATEID, lock)))
                .isEqualTo(Nfs4Status.OLD_STATEID);
        lock[0] = 0;
        assertThat(client.statusOf(new Ops().stateid(OpCode.FREE_STATEID, lock)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().stateid(OpCode.FREE_STATEID, lock)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(new Ops().stateid(OpCode.FREE_STATEID, open)))
                .isEqualTo(Nfs4Status.LOCKS_HELD);
    }

    @Test
    void close_withLocks_freesThem() {
        V4Client other = V4Client.mounted(server, "other", 0);
        int[] open = create("f");
        int[] theirs =
                other.run(new Ops().data().open("o", "f", 3, 0)).afterData().open();
        client.run(new Ops().data().lookup("f").lock(2, false, 0, -1, open, "a"));
        client.run(new Ops().data().lookup("f").close(open));
        assertThat(other.statusOf(new Ops().data().lookup("f").lock(2, false, 0, -1, theirs, "b")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().counts().stateids()).isEqualTo(2);
    }

    @Test
    void currentStateid_carriesFromOpenToCloseInOneCompound() {
        int[] current = {1, 0, 0, 0};
        assertThat(client.statusOf(new Ops()
                        .data()
                        .openCreate("o", "f", 3, 0)
                        .write(current, 0, 2, "x")
                        .close(current)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").close(current))).isEqualTo(Nfs4Status.BAD_STATEID);
    }
}
