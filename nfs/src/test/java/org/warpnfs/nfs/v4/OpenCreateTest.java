package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.testing.HookedFileSystem;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** OPEN that creates, UNCHECKED or GUARDED, if the file exists and if it does not (RFC 8881, section 18.16.3). */
class OpenCreateTest {
    private static final int ALICE = 1000;
    private static final int BOB = 1001;
    private static final int BOTH = 3;

    private HookedFileSystem hooked;
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() {
        server = V4Server.through(this::hook);
        client = V4Client.mounted(server, "c", 0);
    }

    private FileSystem hook(FileSystem memory) {
        hooked = HookedFileSystem.of(memory);
        return hooked.fileSystem();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** An open that denies writing also denies truncation, even by a client that wants to read. */
    @Test
    void open_uncheckedThatCuts_isDeniedToReadersWhereWritingIs() {
        server.newFile("f", 0666, new byte[100]);
        V4Client other = V4Client.mounted(server, "other", 0);
        int[] denying =
                other.run(new Ops().data().open("o", "f", 1, 2)).afterData().open();
        Ops cutting = new Ops().data().openCutting("o", "f");

        assertThat(client.statusOf(cutting)).isEqualTo(Nfs4Status.SHARE_DENIED);
        assertThat(client.statusOf(new Ops().data().lookup("f").verify(Fattr.size(100))))
                .as("VERIFY of the size")
                .isEqualTo(Nfs4Status.OK);

        other.run(new Ops().data().lookup("f").close(denying));
        assertThat(client.statusOf(cutting)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void open_uncheckedThatCutsAFileThatMayNotBeOpened_doesNotCut() throws Exception {
        FileHandle file = server.newFile("f", 0444, new byte[3]);
        V4Client owner = V4Client.mounted(server, "owner", ALICE);

        Ops cutting = new Ops().data().open("o", "f", BOTH, 0, CreateHow.unchecked(Fattr.size(0)));

        assertThat(owner.statusOf(cutting)).isEqualTo(Nfs4Status.ACCESS);
        assertThat(server.fs.attributes(file).sizeBytes()).isEqualTo(3);
    }

    @Test
    void open_uncheckedOfAnothersFile_setsNoneOfItsAttributes() throws Exception {
        FileHandle file = server.newFile("f", 0666, new byte[3]);
        V4Client bob = V4Client.mounted(server, "bob", BOB);
        Fattr attributes = Fattr.mode(0777).and(Fattr.acl(Ace.allow(0x27, "EVERYONE@")));

        assertThat(bob.statusOf(new Ops().data().open("o", "f", BOTH, 0, CreateHow.unchecked(attributes))))
                .isEqualTo(Nfs4Status.OK);

        assertThat(server.fs.attributes(file).permissions()).isEqualTo(0666);
        assertThat(server.fs.acls(file)).isEqualTo(Acls.NONE);
    }

    @Test
    void open_uncheckedWithASize_setsThatOfANewFileAlone() {
        for (int size : new int[] {100, 50}) {
            CreateHow how = CreateHow.unchecked(Fattr.size(size));

            Reply reply =
                    client.run(new Ops().data().open("o", "sized", BOTH, 0, how).getAttrs(Fattr.SIZE));

            reply.afterData().open();
            assertThat(reply.getAttrs(Fattr.SIZE)).isEqualTo(8);
            assertThat(reply.hyper()).as("size").isEqualTo(100);
        }
    }

    /** The same as open(2) on a file system that is mounted read-only. */
    @Test
    void open_thatWouldCreate_inAReadOnlyExport_opensWhatIsThere() {
        server.newFile("f", 0666, new byte[100]);

        assertThat(client.statusOf(new Ops().root().lookup("ro").openCreate("o", "f", 1, 0)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().root().lookup("ro").openCreate("o", "f", BOTH, 0)))
                .as("to write")
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().root().lookup("ro").openCreate("o", "new", 1, 0)))
                .isEqualTo(Nfs4Status.ROFS);
        CreateHow guarded = CreateHow.guarded(Fattr.none());
        assertThat(client.statusOf(new Ops().root().lookup("ro").open("o", "f", 1, 0, guarded)))
                .as("GUARDED")
                .isEqualTo(Nfs4Status.EXIST);
        assertThat(client.statusOf(new Ops().root().lookup("ro").openCutting("o", "f")))
                .as("to cut it")
                .isEqualTo(Nfs4Status.ROFS);
    }

    private static Ops create(String name, CreateHow how) {
        return new Ops().data().open("o", name, BOTH, 0, how);
    }

    /** Runs a create during which the backend has no descriptor left when the new file has to be opened. */
    private Nfs4Status createWithoutDescriptor(V4Client by, Ops create) {
        hooked.onceBefore("open", () -> {
            throw FsException.of(FsError.TRY_LATER);
        });
        Nfs4Status status = by.statusOf(create);
        assertThat(hooked.hasHappened()).isTrue();
        return status;
    }

    @Test
    void create_madeButNotOpened_isPutOffOnlyIfItCanBeRepeated() {
        V4Client alice = V4Client.mounted(server, "client", ALICE);
        Ops guarded = create("guarded", CreateHow.guarded(Fattr.mode(0600)));
        Ops readable = create("readable", CreateHow.unchecked(Fattr.mode(0400)));
        Ops unchecked = create("unchecked", CreateHow.unchecked(Fattr.mode(0600)));
        Ops exclusive = create("exclusive", CreateHow.exclusive(0x1234));

        assertThat(createWithoutDescriptor(alice, guarded)).isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(createWithoutDescriptor(alice, readable)).isEqualTo(Nfs4Status.SERVERFAULT);
        assertThat(createWithoutDescriptor(alice, unchecked)).isEqualTo(Nfs4Status.DELAY);
        assertThat(createWithoutDescriptor(alice, exclusive)).isEqualTo(Nfs4Status.DELAY);

        assertThat(alice.statusOf(unchecked)).isEqualTo(Nfs4Status.OK);
        assertThat(alice.statusOf(exclusive)).isEqualTo(Nfs4Status.OK);
    }

    /** The name exists, so the client would not learn whose it is, nor make it again. */
    @Test
    void graceOfAnotherServer_beginsWhileAFileIsMade_theFileIsOpenedAndTheGraceAwaitsIt() {
        FakeRecoveryLog log = new FakeRecoveryLog();
        server.with(log);
        V4Client alice = V4Client.mounted(server, "client", ALICE);
        List<Boolean> making = new ArrayList<>();
        hooked.onceBefore("open", () -> {
            log.setEnforced(true);
            making.add(server.program().isMaking());
        });

        assertThat(alice.statusOf(create("first", CreateHow.guarded(Fattr.mode(0600)))))
                .isEqualTo(Nfs4Status.OK);
        assertThat(making).containsExactly(true);
        assertThat(server.program().isMaking()).isFalse();
        assertThat(alice.statusOf(create("second", CreateHow.guarded(Fattr.mode(0600)))))
                .isEqualTo(Nfs4Status.GRACE);
        assertThat(alice.statusOf(new Ops().data().lookup("second"))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void graceOfAnotherServer_doesNotAwaitTheFileAnyLonger_isToldOnlyToWhomCanRepeat() {
        FakeRecoveryLog log = new FakeRecoveryLog();
        server.with(log);
        V4Client alice = V4Client.mounted(server, "client", ALICE);
        Ops unchecked = create("unchecked", CreateHow.unchecked(Fattr.mode(0600)));
        Ops guarded = create("guarded", CreateHow.guarded(Fattr.mode(0600)));
        for (Ops create : List.of(unchecked, guarded)) {
            log.setEnforced(false);
            hooked.onceBefore("open", () -> {
                log.setEnforced(true);
                server.program().withdrawPermits();
            });
            assertThat(alice.statusOf(create)).isEqualTo(create == guarded ? Nfs4Status.SERVERFAULT : Nfs4Status.GRACE);
        }
        log.setEnforced(false);
        assertThat(alice.statusOf(unchecked)).isEqualTo(Nfs4Status.OK);
    }
}
