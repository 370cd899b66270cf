package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;

/** Creation of files of every type, and its results if the name exists. */
public abstract class CreationContract extends ContractFixture {
    @Test
    void create_freeName_isFoundAgainWithTheSameHandle() throws Exception {
        Created created =
                fs.create(ROOT, root, name("a"), new CreateMode.Unchecked(AttributeChanges.ofPermissions(0640)));
        assertThat(created.isNew()).isTrue();

        FileAttributes attributes = created.node().attributes();
        assertThat(attributes.type()).isEqualTo(FileType.REGULAR);
        assertThat(attributes.permissions()).isEqualTo(0640);
        assertThat(attributes.linkCount()).isOne();
        assertThat(attributes.sizeBytes()).isZero();

        FileNode found = lookup(root, "a");
        assertThat(found.handle()).isEqualTo(created.node().handle());
        assertThat(found.attributes().fileId()).isEqualTo(attributes.fileId());
        assertThat(attributes(found.handle()).fileSystemId())
                .isEqualTo(attributes(root).fileSystemId());
    }

    @Test
    void create_permissionsThatAUmaskWouldCut_areKept() throws Exception {
        assertThat(attributes(file(ROOT, root, "f", 0666)).permissions()).isEqualTo(0666);
        assertThat(attributes(directory(ROOT, root, "d", 01777)).permissions()).isEqualTo(01777);

        if (can(Capability.SPECIAL_FILES)) {
            FileNode fifo =
                    fs.makeSpecial(ROOT, root, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0622));
            assertThat(fifo.attributes().permissions()).isEqualTo(0622);
        }
    }

    @Test
    void create_takenNameUnchecked_cutsTheFile() throws Exception {
        FileHandle file = file(root, "a");
        write(file, 0, bytes("hello"));

        Created again = fs.create(ROOT, root, name("a"), new CreateMode.Unchecked(AttributeChanges.ofSize(2)));

        assertThat(again.isNew()).isFalse();
        assertThat(again.node().handle()).isEqualTo(file);
        assertThat(again.node().attributes().sizeBytes()).isEqualTo(2);
        assertThat(read(file, 0, 10)).isEqualTo(bytes("he"));
    }

    @Test
    void create_takenNameUncheckedOfAnotherType_saysWhich() throws Exception {
        CreateMode unchecked = new CreateMode.Unchecked(AttributeChanges.NONE);
        directory(root, "d");

        assertFails(FsError.IS_DIRECTORY, () -> fs.create(ROOT, root, name("d"), unchecked));

        if (can(Capability.SYMLINKS)) {
            fs.makeSymlink(ROOT, root, name("s"), bytes("x"), AttributeChanges.NONE);
            assertFails(FsError.SYMLINK, () -> fs.create(ROOT, root, name("s"), unchecked));
        }
        if (can(Capability.SPECIAL_FILES)) {
            fs.makeSpecial(ROOT, root, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0600));
            assertFails(FsError.WRONG_TYPE, () -> fs.create(ROOT, root, name("p"), unchecked));
        }
    }

    @Test
    void create_takenNameGuarded_exists() throws Exception {
        file(root, "a");
        assertFails(FsError.EXISTS, () -> file(root, "a"));
    }

    @Test
    void create_takenNameExclusive_findsItsOwnByVerifierUntilTimesAreSet() throws Exception {
        long verifier = 0x8123_4567_89ab_cdefL;
        CreateMode exclusive = new CreateMode.Exclusive(verifier, AttributeChanges.ofPermissions(0600));

        Created first = fs.create(ROOT, root, name("a"), exclusive);
        assertThat(first.isNew()).isTrue();

        Created repeated = fs.create(ROOT, root, name("a"), exclusive);
        assertThat(repeated.isNew()).isFalse();
        assertThat(repeated.node().handle()).isEqualTo(first.node().handle());

        CreateMode other = new CreateMode.Exclusive(verifier + 1, AttributeChanges.NONE);
        assertFails(FsError.EXISTS, () -> fs.create(ROOT, root, name("a"), other));

        CreateMode otherHigh = new CreateMode.Exclusive(verifier ^ 1L << 63, AttributeChanges.NONE);
        assertFails(FsError.EXISTS, () -> fs.create(ROOT, root, name("a"), otherHigh));

        TimeChange now = new TimeChange.ToServerTime();
        fs.setAttributes(ROOT, first.node().handle(), new AttributeChanges(null, null, null, null, now, now));
        assertFails(FsError.EXISTS, () -> fs.create(ROOT, root, name("a"), exclusive));
    }

    @Test
    void create_exclusiveRepeatedAfterAWrite_exists() throws Exception {
        CreateMode exclusive = new CreateMode.Exclusive(77, AttributeChanges.ofPermissions(0600));
        FileHandle file = fs.create(ROOT, root, name("a"), exclusive).node().handle();
        FileAttributes made = fs.attributes(file);
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(new byte[1]), 0, Stability.FILE_SYNC);
        }

        fs.setAttributes(
                ROOT,
                file,
                new AttributeChanges(
                        null,
                        null,
                        null,
                        null,
                        new TimeChange.To(made.accessTime()),
                        new TimeChange.To(made.modifyTime())));

        assertFails(FsError.EXISTS, () -> fs.create(ROOT, root, name("a"), exclusive));
    }

    @Test
    void create_exclusiveOverADirectory_exists() throws Exception {
        directory(root, "d");
        assertFails(
                FsError.EXISTS,
                () -> fs.create(ROOT, root, name("d"), new CreateMode.Exclusive(7, AttributeChanges.NONE)));
    }

    @Test
    void create_withSizeAndTimes_hasThem() throws Exception {
        AttributeChanges wanted = new AttributeChanges(
                0600,
                null,
                null,
                12345L,
                new TimeChange.To(new Timestamp(1_000_000, 500)),
                new TimeChange.To(new Timestamp(2_000_000, 700)));

        FileAttributes made = fs.create(ROOT, root, name("a"), new CreateMode.Guarded(wanted))
                .node()
                .attributes();

        assertThat(made.sizeBytes()).isEqualTo(12345);
        assertThat(made.accessTime()).isEqualTo(stepped(1_000_000, 500));
        assertThat(made.modifyTime()).isEqualTo(stepped(2_000_000, 700));
    }

    @Test
    void makeDirectory_nested_countsLinksAndLeadsBack() throws Exception {
        int before = attributes(root).linkCount();
        FileHandle a = directory(root, "a");
        FileHandle b = directory(a, "b");

        assertThat(attributes(a).linkCount()).isEqualTo(3);
        assertThat(attributes(b).linkCount()).isEqualTo(2);
        assertThat(attributes(root).linkCount()).isEqualTo(before + 1);
        assertThat(fs.lookupParent(ROOT, b).handle()).isEqualTo(a);
        assertThat(fs.lookupParent(ROOT, a).handle()).isEqualTo(root);
        assertFails(FsError.EXISTS, () -> directory(a, "b"));
    }

    @Test
    @Needs(Capability.SYMLINKS)
    void makeSymlink_longestTarget_isReadBack() throws Exception {
        byte[] target = bytes("x/".repeat(2047) + "y");
        FileNode link = fs.makeSymlink(ROOT, root, name("s"), target, AttributeChanges.NONE);

        assertThat(link.attributes().type()).isEqualTo(FileType.SYMLINK);
        assertThat(link.attributes().sizeBytes()).isEqualTo(target.length);
        assertThat(fs.readSymlink(ROOT, link.handle())).isEqualTo(target);
        assertThat(fs.readSymlink(STRANGER, link.handle())).isEqualTo(target);
    }

    @Test
    @Needs(Capability.SYMLINKS)
    void makeSymlink_badTarget_isRefused() throws Exception {
        assertFails(
                FsError.NAME_TOO_LONG,
                () -> fs.makeSymlink(ROOT, root, name("s"), new byte[4096], AttributeChanges.NONE));
        assertFails(FsError.NO_ENTRY, () -> fs.makeSymlink(ROOT, root, name("s"), new byte[0], AttributeChanges.NONE));
        assertFails(
                FsError.INVALID,
                () -> fs.makeSymlink(ROOT, root, name("s"), new byte[] {'a', 0, 'b'}, AttributeChanges.NONE));

        file(root, "f");
        assertFails(FsError.EXISTS, () -> fs.makeSymlink(ROOT, root, name("f"), bytes("a"), AttributeChanges.NONE));
    }

    @Test
    void readSymlink_ofAnythingElse_invalid() throws Exception {
        assertFails(FsError.INVALID, () -> fs.readSymlink(ROOT, root));

        FileHandle file = file(root, "f");
        assertFails(FsError.INVALID, () -> fs.readSymlink(ROOT, file));
    }

    @Test
    @Needs(Capability.SPECIAL_FILES)
    void makeSpecial_each_hasItsType() throws Exception {
        AttributeChanges permissions = AttributeChanges.ofPermissions(0640);
        FileNode fifo = fs.makeSpecial(ROOT, root, name("p"), FileType.FIFO, 0, 0, permissions);

        assertThat(fifo.attributes().type()).isEqualTo(FileType.FIFO);

        FileNode socket = fs.makeSpecial(ROOT, root, name("s"), FileType.SOCKET, 0, 0, permissions);
        assertThat(socket.attributes().type()).isEqualTo(FileType.SOCKET);
        assertThat(lookup(root, "s").handle()).isEqualTo(socket.handle());

        onlyIf(backend.serverUid() == 0, "only the superuser makes device files");
        FileNode device =
                fs.makeSpecial(ROOT, root, name("c"), FileType.CHARACTER_DEVICE, 4095, 1_000_000, permissions);
        assertThat(device.attributes().type()).isEqualTo(FileType.CHARACTER_DEVICE);
        assertThat(device.attributes().deviceMajor()).isEqualTo(4095);
        assertThat(device.attributes().deviceMinor()).isEqualTo(1_000_000);

        FileNode block = fs.makeSpecial(ROOT, root, name("b"), FileType.BLOCK_DEVICE, 7, 3, permissions);
        assertThat(block.attributes().type()).isEqualTo(FileType.BLOCK_DEVICE);
        assertThat(block.attributes().deviceMinor()).isEqualTo(3);
    }

    @Test
    @Needs(Capability.SPECIAL_FILES)
    void makeSpecial_deviceByAnOrdinaryUser_notPermitted() throws Exception {
        FileHandle open = directory(ROOT, root, "d", 0777);
        assertFails(
                FsError.NOT_PERMITTED,
                () -> fs.makeSpecial(
                        USER, open, name("c"), FileType.CHARACTER_DEVICE, 1, 3, AttributeChanges.ofPermissions(0600)));
    }

    @Test
    @Needs(Capability.SPECIAL_FILES)
    void makeSpecial_ofOrdinaryType_wrongType() throws Exception {
        assertFails(
                FsError.WRONG_TYPE,
                () -> fs.makeSpecial(ROOT, root, name("c"), FileType.REGULAR, 0, 0, AttributeChanges.NONE));
    }

    @Test
    void open_ofAnythingElse_saysWhatItIs() throws Exception {
        assertFails(FsError.IS_DIRECTORY, () -> fs.open(ROOT, root, OpenAccess.READ));

        if (can(Capability.SYMLINKS)) {
            FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("x"), AttributeChanges.NONE)
                    .handle();
            assertFails(FsError.SYMLINK, () -> fs.open(ROOT, link, OpenAccess.READ));
        }
        if (can(Capability.SPECIAL_FILES)) {
            FileHandle fifo = fs.makeSpecial(
                            ROOT, root, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0600))
                    .handle();
            assertFails(FsError.WRONG_TYPE, () -> fs.open(ROOT, fifo, OpenAccess.READ));
        }
    }
}
