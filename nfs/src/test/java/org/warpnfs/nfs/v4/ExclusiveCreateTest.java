package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** OPEN with EXCLUSIVE or EXCLUSIVE4_1: which existing files it accepts, and which it does not touch. */
class ExclusiveCreateTest {
    private static final int ALICE = 1000;
    private static final int BOB = 1001;
    private static final long VERIFIER = 0x0000_1234_0000_5678L;

    @TempDir
    Path directory;

    /** EXCLUSIVE4_1 with a list that allows everyone to read, write and execute. */
    private static Ops exclusiveWithAcl(long verifier, String name) {
        Fattr everyone = Fattr.acl(Ace.allow(0x27, "EVERYONE@"));
        return new Ops().data().open("o", name, 3, 0, CreateHow.exclusive41(verifier, everyone));
    }

    private static Ops exclusive(long verifier, String name) {
        return new Ops().data().open("o", name, 3, 0, CreateHow.exclusive(verifier));
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

    /** Sets the times as a backend does that keeps the verifier in them. */
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
    void exclusiveCreate_repeated_findsItsFileAgain() {
        try (V4Server server = new V4Server()) {
            V4Client client = V4Client.mounted(server, "client", 0);
            CreateHow how = CreateHow.exclusive41(VERIFIER, Fattr.mode(0600));
            Ops create = new Ops().data().open("o", "f", 3, 0, how);

            int[] first = client.run(create).afterData().open();
            int[] second = client.run(create).afterData().open();

            assertThat(second[3]).isEqualTo(first[3]);
            assertThat(client.statusOf(exclusive(VERIFIER + 1, "f"))).isEqualTo(Nfs4Status.EXIST);
        }
    }

    @Test
    void exclusiveCreate_repeatedInMinorVersion0_findsItsFile() {
        try (V4Server server = new V4Server()) {
            V40Client client = V40Client.mounted(server, "client");
            CreateHow how = CreateHow.exclusive(0x1234_5678_9abc_def0L);
            Reply first =
                    client.run(client.open(client.openSeqid++, "o", "f", 2, how).getFh());
            int[] stateid = first.afterData().open();
            client.run(V40Client.openConfirm(first.getFh(), stateid, client.openSeqid++));

            Reply again = client.run(client.open(client.openSeqid++, "o", "f", 2, how));

            assertThat(again.afterData().open()[3]).isEqualTo(stateid[3]);
            Ops other = client.open(client.openSeqid++, "o", "f", 2, CreateHow.exclusive(1));
            assertThat(client.statusOf(other)).isEqualTo(Nfs4Status.EXIST);
        }
    }
}
