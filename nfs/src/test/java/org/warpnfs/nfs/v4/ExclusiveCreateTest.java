package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.testing.HookedFileSystem;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * What an OPEN that creates does to a file that is there already: nothing that its caller may not do (RFC 8881, section
 * 18.16.3).
 */
class ExclusiveCreateTest {
    private static final int ALICE = 1000;
    private static final int BOB = 1001;
    private static final int EXCLUSIVE = 2;
    private static final int EXCLUSIVE_4_1 = 3;
    private static final long VERIFIER = 0x0000_1234_0000_5678L;

    @TempDir
    Path directory;

    /** EXCLUSIVE4_1 with a list that allows everyone to read, write and execute. */
    private static Ops exclusiveWithAcl(long verifier, String name) {
        return new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                .hyper(0)
                .string("o")
                .words(1, EXCLUSIVE_4_1)
                .hyper(verifier)
                .words(1, 1 << 12, 4 + 28)
                .words(1, 0, 0, 0x27)
                .string("EVERYONE@")
                .words(0)
                .string(name));
    }

    private static Ops exclusive(long verifier, String name) {
        return new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                .hyper(0)
                .string("o")
                .words(1, EXCLUSIVE)
                .hyper(verifier)
                .words(0)
                .string(name));
    }

    private static FileHandle find(FileSystem fs, String name) throws FsException {
        return fs.lookup(Caller.ROOT, fs.root(), FileName.of(name)).handle();
    }

    @Test
    void exclusiveCreate_verifierOfAnotherCaller_existsAndChangesNothing() throws Exception {
        try (V4Server server = new V4Server()) {
            V4Client alice = V4Client.mounted(server, "alice", ALICE);
            alice.run(exclusive(VERIFIER, "f"));
            FileHandle file = find(server.fs, "f");
            Acls before = server.fs.acls(file);
            V4Client bob = V4Client.mounted(server, "bob", BOB);
            assertThat(bob.statusOf(exclusiveWithAcl(VERIFIER, "f"))).isEqualTo(Nfs4Status.EXIST);
            assertThat(bob.statusOf(exclusive(VERIFIER, "f"))).isEqualTo(Nfs4Status.EXIST);
            assertThat(server.fs.acls(file)).isEqualTo(before);
            assertThat(alice.statusOf(exclusive(VERIFIER, "f")))
                    .as("its maker's")
                    .isEqualTo(Nfs4Status.OK);
        }
    }

    @Test
    void exclusiveCreate_verifierComputedFromTheTimesOfAFile_existsAndChangesNothing() throws Exception {
        Path file = Files.createFile(directory.resolve("roots"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        setTimes(file, VERIFIER);
        try (FileSystem local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                V4Server server = V4Server.through(_ -> local)) {
            V4Client client = V4Client.mounted(server, "client", ALICE);
            assertThat(client.statusOf(exclusiveWithAcl(VERIFIER, "roots"))).isEqualTo(Nfs4Status.EXIST);
            assertThat(client.statusOf(exclusive(VERIFIER, "roots"))).isEqualTo(Nfs4Status.EXIST);
        }
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    /** As a backend that keeps the verifier in the times would have them. */
    private static void setTimes(Path file, long verifier) throws IOException {
        Instant access = Instant.ofEpochSecond(verifier & 0x7fff_ffff, (verifier >>> 62) * 1_000_000);
        Instant modify = Instant.ofEpochSecond((verifier >>> 31) & 0x7fff_ffff);
        Files.getFileAttributeView(file, BasicFileAttributeView.class)
                .setTimes(FileTime.from(modify), FileTime.from(access), null);
    }

    @Test
    void exclusiveCreate_repeatedAfterARestart_findsItsFileAndGivesItItsList() throws Exception {
        try (FileSystem local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                V4Server server = V4Server.through(_ -> local)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            V4Client.mounted(server, "client", ALICE).run(exclusiveWithAcl(VERIFIER, "f"));
            FileHandle made = find(local, "f");
            server.start();
            V4Client again = V4Client.mounted(server, "client", ALICE);
            Reply reply = again.run(exclusiveWithAcl(VERIFIER, "f").getFh());
            reply.afterData().open();
            assertThat(server.handles.decode(reply.getFh()).file()).isEqualTo(made);
            int permissions = local.attributes(made).permissions();
            assertThat(permissions & 0077).as("what the list allows others").isEqualTo(0077);
        }
    }

    @Test
    void exclusiveCreate_fileWrittenSince_existsAlsoForItsMaker() throws Exception {
        try (FileSystem local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                V4Server server = V4Server.through(_ -> local)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            V4Client client = V4Client.mounted(server, "client", ALICE);
            client.run(exclusive(VERIFIER, "f"));
            Path file = directory.resolve("f");
            FileTime access = (FileTime) Files.getAttribute(file, "lastAccessTime");
            FileTime modify = Files.getLastModifiedTime(file);
            Files.writeString(file, "data");
            Files.getFileAttributeView(file, BasicFileAttributeView.class).setTimes(modify, access, null);
            assertThat(client.statusOf(exclusive(VERIFIER, "f"))).isEqualTo(Nfs4Status.EXIST);
        }
    }

    @Test
    void uncheckedCreate_ofAnothersFile_setsNoneOfItsAttributes() throws Exception {
        try (V4Server server = new V4Server()) {
            FileHandle file = server.newFile("f", 0666, new byte[3]);
            V4Client bob = V4Client.mounted(server, "bob", BOB);
            Ops unchecked = new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                    .hyper(0)
                    .string("o")
                    .words(1, 0)
                    .words(2, 1 << 12, 1 << 1, 4 + 28 + 4)
                    .words(1, 0, 0, 0x27)
                    .string("EVERYONE@")
                    .words(0777)
                    .words(0)
                    .string("f"));
            assertThat(bob.statusOf(unchecked)).isEqualTo(Nfs4Status.OK);
            assertThat(server.fs.attributes(file).permissions()).isEqualTo(0666);
            assertThat(server.fs.acls(file)).isEqualTo(Acls.NONE);
        }
    }

    @Test
    void uncheckedCreateOfSizeZero_fileThatMayNotBeOpened_isNotCut() throws Exception {
        try (V4Server server = new V4Server()) {
            FileHandle file = server.newFile("f", 0444, new byte[3]);
            V4Client owner = V4Client.mounted(server, "owner", ALICE);
            Ops cutting = new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                    .hyper(0)
                    .string("o")
                    .words(1, 0)
                    .words(1, 1 << 4, 8)
                    .hyper(0)
                    .words(0)
                    .string("f"));
            assertThat(owner.statusOf(cutting)).isEqualTo(Nfs4Status.ACCESS);
            assertThat(server.fs.attributes(file).sizeBytes()).isEqualTo(3);
        }
    }

    @Test
    void createDirectoryWithAcl_nameThatIsThere_existsAndChangesNothing() throws Exception {
        try (V4Server server = new V4Server()) {
            V4Client alice = V4Client.mounted(server, "alice", ALICE);
            Ops make = new Ops().data().add(OpCode.CREATE, c -> c.words(2)
                    .string("d")
                    .words(1, 1 << 12, 4 + 28)
                    .words(1, 0, 0, 0x27)
                    .string("EVERYONE@"));
            V4Client bob = V4Client.mounted(server, "bob", BOB);
            FileHandle made = server.fs
                    .makeDirectory(
                            new Caller(ALICE, 100, List.of()),
                            server.fs.root(),
                            FileName.of("d"),
                            org.warpnfs.fs.spi.AttributeChanges.ofPermissions(0700))
                    .handle();
            assertThat(bob.statusOf(make)).isEqualTo(Nfs4Status.EXIST);
            assertThat(alice.statusOf(make)).isEqualTo(Nfs4Status.EXIST);
            assertThat(server.fs.attributes(made).permissions()).isEqualTo(0700);
            assertThat(server.fs.acls(made)).isEqualTo(Acls.NONE);
        }
    }

    @Test
    void setAttrOfAcl_byAnother_isRefusedAndChangesNothing() throws Exception {
        try (V4Server server = new V4Server()) {
            FileHandle file = server.newFile("f", 0666, new byte[0]);
            V4Client bob = V4Client.mounted(server, "bob", BOB);
            Ops set = new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(0, 0, 0, 0)
                    .words(1, 1 << 12, 4 + 28)
                    .words(1, 0, 0, 0x27)
                    .string("EVERYONE@"));
            assertThat(bob.statusOf(set)).isEqualTo(Nfs4Status.PERM);
            assertThat(server.fs.acls(file)).isEqualTo(Acls.NONE);
        }
    }

    private static Ops create(int how, int mode, String name) {
        return new Ops().data().add(OpCode.OPEN, c -> c.words(0, 3, 0)
                .hyper(0)
                .string("o")
                .words(1, how)
                .words(2, 0, 1 << 1, 4, mode)
                .words(0)
                .string(name));
    }

    /** The backend has no descriptor left when the new file is to be opened. */
    private static Nfs4Status createWithoutDescriptor(V4Client client, HookedFileSystem hooked, Ops create) {
        hooked.onceBefore("open", () -> {
            throw FsException.of(FsError.TRY_LATER);
        });
        Nfs4Status status = client.statusOf(create);
        assertThat(hooked.hasHappened()).isTrue();
        return status;
    }

    @Test
    void create_madeButNotOpened_isPutOffOnlyIfItCanBeRepeated() throws Exception {
        HookedFileSystem[] hooked = new HookedFileSystem[1];
        try (V4Server server = V4Server.through(memory -> {
            hooked[0] = HookedFileSystem.of(memory);
            return hooked[0].fileSystem();
        })) {
            V4Client client = V4Client.mounted(server, "client", ALICE);
            assertThat(createWithoutDescriptor(client, hooked[0], create(1, 0600, "guarded")))
                    .isEqualTo(Nfs4Status.SERVERFAULT);
            assertThat(createWithoutDescriptor(client, hooked[0], create(0, 0400, "readable")))
                    .isEqualTo(Nfs4Status.SERVERFAULT);
            Ops unchecked = create(0, 0600, "unchecked");
            assertThat(createWithoutDescriptor(client, hooked[0], unchecked)).isEqualTo(Nfs4Status.DELAY);
            Ops exclusive = exclusive(VERIFIER, "exclusive");
            assertThat(createWithoutDescriptor(client, hooked[0], exclusive)).isEqualTo(Nfs4Status.DELAY);
            assertThat(client.statusOf(unchecked)).isEqualTo(Nfs4Status.OK);
            assertThat(client.statusOf(exclusive)).isEqualTo(Nfs4Status.OK);
        }
    }
}
