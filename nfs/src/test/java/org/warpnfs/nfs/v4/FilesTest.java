package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.V4Client.Ops;
import org.warpnfs.nfs.v4.V4Client.Reply;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Files and directories through the operations on them. */
class FilesTest {
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
    void file_writtenCommittedAndRead_hasTheSameBytes() {
        int[] stateid = create("f");
        Reply written = client.run(
                new Ops().data().lookup("f").write(stateid, 0, 0, "hello world").op(5, 0, 0, 0));
        written.afterData().op(15);
        written.op(38);
        assertThat(written.word()).isEqualTo(11);
        written.word();
        long verifier = written.hyper();
        written.op(5);
        assertThat(written.hyper()).as("COMMIT's verifier").isEqualTo(verifier);
        Reply read = client.run(new Ops().data().lookup("f").read(stateid, 6, 100));
        read.afterData().op(15);
        read.op(25);
        assertThat(read.bool()).as("eof").isTrue();
        assertThat(read.opaque(100)).isEqualTo("world".getBytes(StandardCharsets.US_ASCII));
        read.end();
    }

    @Test
    void read_atAndBeyondTheEnd_isShortNotAnError() {
        int[] stateid = create("f");
        client.run(new Ops().data().lookup("f").write(stateid, 0, 2, "abc"));
        for (long offset : new long[] {3, 4, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            Reply read = client.run(new Ops().data().lookup("f").read(stateid, offset, 4096));
            read.afterData().op(15);
            read.op(25);
            assertThat(read.bool()).as("eof at %d", offset).isTrue();
            assertThat(read.opaque(0)).isEmpty();
        }
        Reply nothing = client.run(new Ops().data().lookup("f").read(stateid, 0, 0));
        nothing.afterData().op(15);
        nothing.op(25);
        assertThat(nothing.bool()).isFalse();
        Reply exact = client.run(new Ops().data().lookup("f").read(stateid, 0, 3));
        exact.afterData().op(15);
        exact.op(25);
        assertThat(exact.bool()).isTrue();
    }

    @Test
    void write_beyondWhatAFileCanBe_isTooBig() {
        int[] stateid = create("f");
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, Long.MAX_VALUE, 0, "x")))
                .isEqualTo(Nfs4Status.FBIG);
        assertThat(client.statusOf(new Ops().data().lookup("f").write(stateid, -1, 0, "x")))
                .isEqualTo(Nfs4Status.FBIG);
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
        Reply down = client.run(
                new Ops().data().lookup("f").add(21, c -> c.words(both).words(0, 1, 0)));
        down.afterData().op(15);
        down.op(21);
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
        Ops cutting = new Ops().data().add(18, c -> c.words(0, 1, 0)
                .hyper(0)
                .string("o")
                .words(1, 0)
                .words(1, 1 << 4, 8)
                .hyper(0)
                .words(0)
                .string("f"));
        assertThat(client.statusOf(cutting)).isEqualTo(Nfs4Status.SHARE_DENIED);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(37, c -> c.words(1, 1 << 4, 8)
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
        assertThat(client.statusOf(new Ops().root().lookup("ro").add(18, c -> c.words(0, 1, 0)
                        .hyper(0)
                        .string("o")
                        .words(1, 1)
                        .words(0, 0)
                        .words(0)
                        .string("f"))))
                .as("GUARDED")
                .isEqualTo(Nfs4Status.EXIST);
        assertThat(client.statusOf(new Ops().root().lookup("ro").add(18, c -> c.words(0, 1, 0)
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
                    .add(18, c -> c.words(0, 3, 0)
                            .hyper(0)
                            .string("o")
                            .words(1, 0)
                            .words(1, 1 << 4, 8)
                            .hyper(size)
                            .words(0)
                            .string("sized"))
                    .getAttr(1 << 4));
            reply.afterData().open();
            reply.op(9);
            assertThat(reply.words(5)).containsExactly(1, 1 << 4, 8, 0, 100);
        }
    }

    @Test
    void getAttr_ofNumbersThatNobodyKnows_leavesThemOut() {
        int[] asked = new int[32];
        asked[1000 / 32] = 1 << 1000 % 32;
        Reply reply = client.run(new Ops().data().getAttr(asked));
        reply.afterData().op(9);
        assertThat(reply.words(2)).containsExactly(0, 0);
        reply.end();
    }

    @Test
    void open_exclusive_findsItsOwnFileAgain() {
        Ops exclusive = new Ops().data().add(18, c -> c.words(0, 3, 0)
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
        Ops other = new Ops().data().add(18, c -> c.words(0, 3, 0)
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
        locked.afterData().op(15);
        locked.op(12);
        int[] lock = locked.stateid();
        Reply denied = other.send(new Ops().data().lookup("f").lock(1, false, 0, -1, theirs, "bob"));
        denied.afterData().op(15);
        denied.op(12, Nfs4Status.DENIED);
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
        assertThat(client.statusOf(new Ops().stateid(45, lock))).isEqualTo(Nfs4Status.OLD_STATEID);
        lock[0] = 0;
        assertThat(client.statusOf(new Ops().stateid(45, lock))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().stateid(45, lock))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(client.statusOf(new Ops().stateid(45, open))).isEqualTo(Nfs4Status.LOCKS_HELD);
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

    @Test
    void directory_ofManyNames_isListedInPieces() {
        for (int i = 0; i < 300; i++) {
            server.newFile("name-" + "x".repeat(100) + i, 0644, new byte[0]);
        }
        List<String> names = new ArrayList<>();
        long cookie = 0;
        boolean eof = false;
        while (!eof) {
            long from = cookie;
            Reply reply = client.run(
                    new Ops().data().add(26, c -> c.hyper(from).hyper(0).words(1000, 4096, 2, 1 << 20 | 1 << 11, 0)));
            reply.afterData().op(26);
            int start = reply.position();
            reply.hyper();
            while (reply.bool()) {
                cookie = reply.hyper();
                names.add(reply.string());
                assertThat(reply.words(4)).startsWith(1, 1 << 20 | 1 << 11, 12);
                reply.words(2);
            }
            eof = reply.bool();
            assertThat(reply.position() - start).isLessThanOrEqualTo(4096);
            reply.end();
        }
        assertThat(names).hasSize(300).doesNotHaveDuplicates();
        for (long bad : new long[] {1, 2}) {
            assertThat(client.statusOf(
                            new Ops().data().add(26, c -> c.hyper(bad).hyper(0).words(100, 4096, 0))))
                    .isEqualTo(Nfs4Status.BAD_COOKIE);
        }
        assertThat(client.statusOf(
                        new Ops().data().add(26, c -> c.hyper(0).hyper(0).words(0, 60, 0))))
                .isEqualTo(Nfs4Status.TOOSMALL);
    }

    /** A directory of its owner's that may be read but not searched, with one file. */
    private FileAttributes readableOnly() throws FsException {
        Caller owner = new Caller(1000, 100, List.of());
        FileHandle directory = server.fs
                .makeDirectory(owner, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0700))
                .handle();
        FileAttributes file = server.fs
                .create(
                        owner,
                        directory,
                        FileName.of("f"),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(0600)))
                .node()
                .attributes();
        server.fs.setAttributes(owner, directory, AttributeChanges.ofPermissions(0400));
        return file;
    }

    /** READDIR of it, up to the only entry's attributes. */
    private Reply entryOfReadableOnly(int... attributes) {
        client.uid = 1000;
        Reply reply = client.run(new Ops().data().lookup("d").add(26, c -> c.hyper(0)
                .hyper(0)
                .words(1000, 4096, attributes.length)
                .words(attributes)));
        reply.afterData().op(15);
        reply.op(26);
        reply.hyper();
        assertThat(reply.bool()).as("an entry").isTrue();
        reply.hyper();
        assertThat(reply.string()).isEqualTo("f");
        return reply;
    }

    @Test
    void readDir_directoryThatMayNotBeSearched_hasFileIdsAsLinuxAsksForThem() throws Exception {
        long fileId = readableOnly().fileId();
        // rdattr_error and mounted_on_fileid: what Linux asks for where it wants names alone.
        Reply reply = entryOfReadableOnly(1 << 11, 1 << (55 - 32));
        assertThat(reply.words(5)).containsExactly(2, 1 << 11, 1 << (55 - 32), 12, 0);
        assertThat(reply.hyper()).isEqualTo(fileId);
        assertThat(reply.bool()).as("another entry").isFalse();
        assertThat(reply.bool()).as("eof").isTrue();
    }

    @Test
    void readDir_attributesThatCannotBeHad_hasErrorAndWhatIsKnown() throws Exception {
        long fileId = readableOnly().fileId();
        // type, change, size, fsid, rdattr_error, filehandle, fileid and mode
        Reply reply = entryOfReadableOnly(1 << 1 | 1 << 3 | 1 << 4 | 1 << 8 | 1 << 11 | 1 << 19 | 1 << 20, 1 << 1);
        int bitmap = reply.words(2)[1];
        assertThat(bitmap | 1 << 1).isEqualTo(1 << 1 | 1 << 11 | 1 << 20);
        int length = reply.word();
        if ((bitmap & 1 << 1) != 0) {
            assertThat(reply.word()).as("a regular file").isEqualTo(1);
            length -= 4;
        }
        assertThat(length).isEqualTo(12);
        assertThat(reply.word()).isEqualTo(Nfs4Status.ACCESS.code());
        assertThat(reply.hyper()).isEqualTo(fileId);
    }

    @Test
    void readDir_attributesThatCannotBeHadAndNobodyAsksWhy_hasWhatIsKnown() throws Exception {
        long fileId = readableOnly().fileId();
        Reply reply = entryOfReadableOnly(1 << 4 | 1 << 20, 1 << 1);
        assertThat(reply.words(3)).containsExactly(1, 1 << 20, 8);
        assertThat(reply.hyper()).isEqualTo(fileId);
    }

    @Test
    void pseudoRoot_listsExportsByTheirRoots() {
        Reply reply =
                client.run(new Ops().root().add(26, c -> c.hyper(0).hyper(0).words(0, 4096, 2, 1 << 8, 1 << 23)));
        reply.op(24);
        reply.op(26);
        reply.hyper();
        int entries = 0;
        while (reply.bool()) {
            reply.hyper();
            reply.string();
            assertThat(reply.words(3)).containsExactly(2, 1 << 8, 1 << 23);
            assertThat(reply.word()).isEqualTo(24);
            assertThat(reply.hyper())
                    .as("fsid of the export, not of the virtual directory")
                    .isNotZero();
            reply.words(4);
            entries++;
        }
        assertThat(entries).isEqualTo(3);
        assertThat(client.statusOf(new Ops().root().op(16))).isEqualTo(Nfs4Status.NOENT);
        Reply up = client.run(new Ops().root().getFh().lookup("data").op(16).getFh());
        up.op(24);
        byte[] root = up.getFh();
        up.op(15);
        up.op(16);
        assertThat(up.getFh()).isEqualTo(root);
    }

    @Test
    void names_madeMovedLinkedAndRemoved() {
        Ops mkdir = new Ops().data().add(6, c -> c.words(2).string("d").words(2, 0, 1 << 1, 4, 0755));
        assertThat(client.statusOf(mkdir)).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(mkdir)).isEqualTo(Nfs4Status.EXIST);
        String text = "t".repeat(4000);
        client.run(
                new Ops().data().add(6, c -> c.words(5).string(text).string("s").words(0, 0)));
        Reply link = client.run(new Ops().data().lookup("s").op(27));
        link.afterData().op(15);
        link.op(27);
        assertThat(link.string()).isEqualTo(text);
        client.run(new Ops().data().add(6, c -> c.words(7).string("fifo").words(0, 0)));
        client.run(new Ops().data().add(6, c -> c.words(4, 1, 3).string("null").words(0, 0)));
        assertThat(client.statusOf(
                        new Ops().data().add(6, c -> c.words(1).string("reg").words(0, 0))))
                .isEqualTo(Nfs4Status.BADTYPE);
        create("f");
        client.run(new Ops().data().lookup("f").op(32).data().named(11, "g"));
        client.run(new Ops().data().op(32).data().lookup("d").named(29, "g", "h"));
        assertThat(client.statusOf(new Ops().data().lookup("d").lookup("h"))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().named(28, "d"))).isEqualTo(Nfs4Status.NOTEMPTY);
        client.run(new Ops().data().lookup("d").named(28, "h"));
        client.run(new Ops().data().named(28, "d"));
        assertThat(client.statusOf(new Ops().data().op(32).root().lookup("ro").named(29, "f", "x")))
                .isEqualTo(Nfs4Status.XDEV);
        assertThat(client.statusOf(new Ops()
                        .data()
                        .lookup("f")
                        .op(32)
                        .root()
                        .lookup("squash")
                        .named(11, "x")))
                .isEqualTo(Nfs4Status.XDEV);
        assertThat(client.statusOf(new Ops().root().lookup("ro").named(28, "f")))
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().data().lookup("s").lookup("x"))).isEqualTo(Nfs4Status.SYMLINK);
        assertThat(client.statusOf(new Ops().data().lookup("f").lookup("x"))).isEqualTo(Nfs4Status.NOTDIR);
    }

    @Test
    void attributes_setAndVerified() {
        create("f");
        // size 5, mode 0600, owner 1000
        Ops set = new Ops().data().lookup("f").add(34, c -> c.words(0, 0, 0, 0)
                .words(2, 1 << 4, 1 << 1 | 1 << 4, 20)
                .hyper(5)
                .words(0600)
                .string("1000"));
        Reply done = client.run(set);
        done.afterData().op(15);
        done.op(34);
        assertThat(done.words(3)).containsExactly(2, 1 << 4, 1 << 1 | 1 << 4);
        assertThat(client.statusOf(new Ops()
                        .data()
                        .lookup("f")
                        .add(37, c -> c.words(1, 1 << 4, 8).hyper(5))
                        .getFh()))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(17, c -> c.words(1, 1 << 4, 8)
                        .hyper(5))))
                .isEqualTo(Nfs4Status.SAME);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(37, c -> c.words(1, 1 << 4, 8)
                        .hyper(6))))
                .isEqualTo(Nfs4Status.NOT_SAME);
        Reply named = client.send(new Ops().data().lookup("f").add(34, c -> c.words(ZERO)
                .words(2, 0, 1 << 4, 12)
                .string("joe@home")));
        assertThat(named.status()).isEqualTo(Nfs4Status.BADOWNER);
        named.afterData().op(15);
        named.op(34, Nfs4Status.BADOWNER);
        assertThat(named.word()).as("nothing set").isZero();
        named.end();
        Reply nameless = client.send(new Ops().data().lookup("f").add(34, c -> c.words(ZERO)
                .words(2, 0, 1 << 4, 4)
                .string("")));
        assertThat(nameless.status()).isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(new Ops().data().getAttr(0, 1 << 16))).isEqualTo(Nfs4Status.INVAL);
    }

    /** To the kernel (uid_t) -1 says that the owner is to stay: what it is asked for would be answered as done and is not. */
    @Test
    void setAttr_ownerOrGroupMinusOne_isBadOwnerAndChangesNothing() {
        server.newFile("f", 0666, new byte[0]);
        for (int bit : new int[] {1 << 4, 1 << 5}) {
            assertThat(client.statusOf(new Ops().data().lookup("f").add(34, c -> c.words(ZERO)
                            .words(2, 0, bit, 16)
                            .string("4294967295"))))
                    .isEqualTo(Nfs4Status.BADOWNER);
            assertThat(client.statusOf(new Ops().data().lookup("f").add(34, c -> c.words(ZERO)
                            .words(2, 0, bit, 16)
                            .string("4294967294"))))
                    .isEqualTo(Nfs4Status.OK);
        }
    }

    @Test
    void attributes_allAskedFor_areThoseSupported() {
        Reply reply = client.run(new Ops().data().getAttr(-1, -1 & ~(1 << 16 | 1 << 22), -1 & ~(1 << 17)));
        reply.afterData().op(9);
        int words = reply.word();
        int[] bitmap = reply.words(words);
        reply.words(reply.word() / 4);
        reply.end();
        Reply supported = client.run(new Ops().data().getAttr(1));
        supported.afterData().op(9);
        assertThat(supported.words(2)).containsExactly(1, 1);
        supported.word();
        int[] all = supported.words(supported.word());
        assertThat(all[0]).isEqualTo(bitmap[0]);
        assertThat(all[1] & ~(1 << 16 | 1 << 22)).isEqualTo(bitmap[1]);
        assertThat(all[2] & ~(1 << 17)).isEqualTo(bitmap[2]);
    }

    @Test
    void xattrs_setListedReadAndRemoved() {
        create("f");
        client.run(new Ops().data().lookup("f").add(73, c -> c.words(1)
                .string("colour")
                .string("red")));
        assertThat(client.statusOf(new Ops().data().lookup("f").add(73, c -> c.words(1)
                        .string("colour")
                        .string("x"))))
                .isEqualTo(Nfs4Status.EXIST);
        Reply got = client.run(new Ops().data().lookup("f").named(72, "colour"));
        got.afterData().op(15);
        got.op(72);
        assertThat(got.string()).isEqualTo("red");
        Reply listed =
                client.run(new Ops().data().lookup("f").add(74, c -> c.hyper(0).words(1000)));
        listed.afterData().op(15);
        listed.op(74);
        listed.hyper();
        assertThat(listed.word()).isEqualTo(1);
        assertThat(listed.string()).isEqualTo("colour");
        assertThat(listed.bool()).isTrue();
        client.run(new Ops().data().lookup("f").named(75, "colour"));
        assertThat(client.statusOf(new Ops().data().lookup("f").named(72, "colour")))
                .isEqualTo(Nfs4Status.NOXATTR);
    }

    @Test
    void sparseFile_isSoughtCopiedAndReadPlus() {
        int[] stateid = create("f");
        client.run(new Ops().data().lookup("f").write(stateid, 100_000, 2, "data"));
        Reply seek = client.run(new Ops().data().lookup("f").add(69, c -> c.words(stateid)
                .hyper(0)
                .words(0)));
        seek.afterData().op(15);
        seek.op(69);
        assertThat(seek.bool()).isFalse();
        assertThat(seek.hyper()).isBetween(1L, 100_000L);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(69, c -> c.words(stateid)
                        .hyper(200_000)
                        .words(0))))
                .isEqualTo(Nfs4Status.NXIO);
        Reply hole = client.run(new Ops().data().lookup("f").read68(stateid));
        hole.afterData().op(15);
        hole.op(68);
        hole.bool();
        assertThat(hole.words(2)).containsExactly(1, 1);
        int[] target = create("g");
        Reply copied = client.run(
                new Ops().data().lookup("f").op(32).data().lookup("g").add(60, c -> c.words(stateid)
                        .words(target)
                        .hyper(0)
                        .hyper(0)
                        .hyper(0)
                        .words(1, 1, 0)));
        copied.afterData().op(15);
        copied.op(32);
        copied.afterData().op(15);
        copied.op(60);
        assertThat(copied.word()).isZero();
        assertThat(copied.hyper()).isEqualTo(100_004);
        client.run(new Ops().data().lookup("f").add(62, c -> c.words(stateid)
                .hyper(0)
                .hyper(-1)));
        client.run(new Ops().data().lookup("f").add(59, c -> c.words(stateid)
                .hyper(0)
                .hyper(200_000)));
    }
}
