package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;

/** Names and what they lead to: making, finding, linking, renaming, removing. */
public abstract class NamespaceContract extends ContractFixture {
    @Test
    void root_attributes_areThoseOfADirectory() throws Exception {
        FileAttributes attributes = attributes(root);
        assertThat(attributes.type()).isEqualTo(FileType.DIRECTORY);
        assertThat(attributes.linkCount()).isGreaterThanOrEqualTo(2);
        assertThat(fs.lookupParent(ROOT, root).handle()).isEqualTo(root);
    }

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
        FileNode fifo =
                fs.makeSpecial(ROOT, root, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0622));
        assertThat(fifo.attributes().permissions()).isEqualTo(0622);
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
        fs.makeSymlink(ROOT, root, name("s"), bytes("x"), AttributeChanges.NONE);
        assertFails(FsError.SYMLINK, () -> fs.create(ROOT, root, name("s"), unchecked));
        fs.makeSpecial(ROOT, root, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0600));
        assertFails(FsError.WRONG_TYPE, () -> fs.create(ROOT, root, name("p"), unchecked));
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
        assertThat(made.accessTime()).isEqualTo(new Timestamp(1_000_000, 500));
        assertThat(made.modifyTime()).isEqualTo(new Timestamp(2_000_000, 700));
    }

    @Test
    void lookup_absentName_noEntry() throws Exception {
        assertFails(FsError.NO_ENTRY, () -> lookup(root, "nothing"));
    }

    @Test
    void operations_onAFileInPlaceOfADirectory_notDirectory() throws Exception {
        FileHandle file = file(root, "f");
        assertFails(FsError.NOT_DIRECTORY, () -> lookup(file, "a"));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.lookupParent(ROOT, file));
        assertFails(FsError.NOT_DIRECTORY, () -> file(file, "a"));
        assertFails(FsError.NOT_DIRECTORY, () -> directory(file, "a"));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.remove(ROOT, file, name("a")));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.list(ROOT, file, 0, false, entry -> true));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.rename(ROOT, root, name("f"), file, name("a")));
    }

    @Test
    void lookup_symlink_isNotFollowed() throws Exception {
        FileHandle target = directory(root, "d");
        file(target, "inside");
        FileNode link = fs.makeSymlink(ROOT, root, name("s"), bytes("d"), AttributeChanges.NONE);
        FileNode found = lookup(root, "s");
        assertThat(found.attributes().type()).isEqualTo(FileType.SYMLINK);
        assertThat(found.handle()).isEqualTo(link.handle());
        assertFails(FsError.NOT_DIRECTORY, () -> lookup(found.handle(), "inside"));
    }

    @Test
    void setAttributes_ofASymlink_setsTimesAndBearsPermissions() throws Exception {
        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("nowhere"), AttributeChanges.NONE)
                .handle();
        Timestamp time = new Timestamp(1_000_000_000, 5);
        TimeChange to = new TimeChange.To(time);
        fs.setAttributes(ROOT, link, new AttributeChanges(0755, null, null, null, to, to));
        assertThat(attributes(link).modifyTime()).isEqualTo(time);
        assertThat(attributes(link).accessTime()).isEqualTo(time);
        assertThat(fs.readSymlink(ROOT, link)).isEqualTo(bytes("nowhere"));
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
    void makeSymlink_longestTarget_isReadBack() throws Exception {
        byte[] target = bytes("x/".repeat(2047) + "y");
        FileNode link = fs.makeSymlink(ROOT, root, name("s"), target, AttributeChanges.NONE);
        assertThat(link.attributes().type()).isEqualTo(FileType.SYMLINK);
        assertThat(link.attributes().sizeBytes()).isEqualTo(target.length);
        assertThat(fs.readSymlink(ROOT, link.handle())).isEqualTo(target);
        assertThat(fs.readSymlink(STRANGER, link.handle())).isEqualTo(target);
    }

    @Test
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
    void makeSpecial_deviceByAnOrdinaryUser_notPermitted() throws Exception {
        FileHandle open = directory(ROOT, root, "d", 0777);
        assertFails(
                FsError.NOT_PERMITTED,
                () -> fs.makeSpecial(
                        USER, open, name("c"), FileType.CHARACTER_DEVICE, 1, 3, AttributeChanges.ofPermissions(0600)));
    }

    @Test
    void makeSpecial_ofOrdinaryType_wrongType() throws Exception {
        assertFails(
                FsError.WRONG_TYPE,
                () -> fs.makeSpecial(ROOT, root, name("c"), FileType.REGULAR, 0, 0, AttributeChanges.NONE));
    }

    @Test
    void open_ofAnythingElse_saysWhatItIs() throws Exception {
        assertFails(FsError.IS_DIRECTORY, () -> fs.open(ROOT, root, OpenAccess.READ));
        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("x"), AttributeChanges.NONE)
                .handle();
        assertFails(FsError.SYMLINK, () -> fs.open(ROOT, link, OpenAccess.READ));
        FileHandle fifo = fs.makeSpecial(
                        ROOT, root, name("p"), FileType.FIFO, 0, 0, AttributeChanges.ofPermissions(0600))
                .handle();
        assertFails(FsError.WRONG_TYPE, () -> fs.open(ROOT, fifo, OpenAccess.READ));
    }

    @Test
    void link_secondName_leadsToTheSameFile() throws Exception {
        FileHandle file = file(root, "a");
        FileHandle sub = directory(root, "d");
        FileAttributes linked = fs.link(ROOT, file, sub, name("b"));
        assertThat(linked.linkCount()).isEqualTo(2);
        assertThat(lookup(sub, "b").handle()).isEqualTo(file);
        fs.remove(ROOT, root, name("a"));
        assertThat(attributes(file).linkCount()).isOne();
        assertThat(lookup(sub, "b").handle()).isEqualTo(file);
        fs.remove(ROOT, sub, name("b"));
        assertFails(FsError.STALE, () -> attributes(file));
    }

    @Test
    void link_takenNameOrDirectory_isRefused() throws Exception {
        FileHandle file = file(root, "a");
        FileHandle directory = directory(root, "d");
        assertFails(FsError.EXISTS, () -> fs.link(ROOT, file, root, name("d")));
        assertFails(FsError.NOT_PERMITTED, () -> fs.link(ROOT, directory, root, name("e")));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.link(ROOT, directory, file, name("e")));
    }

    @Test
    void link_symlink_getsASecondNameItself() throws Exception {
        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("nowhere"), AttributeChanges.NONE)
                .handle();
        assertThat(fs.link(ROOT, link, root, name("t")).linkCount()).isEqualTo(2);
        assertThat(lookup(root, "t").handle()).isEqualTo(link);
        assertThat(fs.readSymlink(ROOT, lookup(root, "t").handle())).isEqualTo(bytes("nowhere"));
    }

    @Test
    void remove_lastName_makesTheHandleStale() throws Exception {
        FileHandle file = file(root, "a");
        fs.remove(ROOT, root, name("a"));
        assertFails(FsError.NO_ENTRY, () -> lookup(root, "a"));
        assertFails(FsError.STALE, () -> attributes(file));
        assertFails(FsError.STALE, () -> fs.open(ROOT, file, OpenAccess.READ));
        assertFails(FsError.STALE, () -> fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0600)));
        assertFails(FsError.STALE, () -> fs.link(ROOT, file, root, name("b")));
        assertFails(FsError.NO_ENTRY, () -> fs.remove(ROOT, root, name("a")));
    }

    @Test
    void remove_openFile_staysReadableAndKnownUntilClosed() throws Exception {
        FileHandle file = file(root, "a");
        write(file, 0, bytes("still here"));
        try (OpenFile open = fs.open(ROOT, file, OpenAccess.READ_WRITE)) {
            fs.remove(ROOT, root, name("a"));
            assertThat(open.attributes().linkCount()).isZero();
            assertThat(attributes(file).linkCount()).isZero();
            open.write(java.nio.ByteBuffer.wrap(bytes("STILL")), 0, org.warpnfs.fs.spi.Stability.FILE_SYNC);
            assertThat(read(open, 0, 20)).isEqualTo(bytes("STILL here"));
            try (OpenFile second = fs.open(ROOT, file, OpenAccess.READ)) {
                assertThat(read(second, 6, 20)).isEqualTo(bytes("here"));
            }
        }
        assertFails(FsError.STALE, () -> attributes(file));
    }

    @Test
    void remove_wrongKind_isRefused() throws Exception {
        directory(root, "d");
        file(root, "f");
        assertFails(FsError.IS_DIRECTORY, () -> fs.remove(ROOT, root, name("d")));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.removeDirectory(ROOT, root, name("f")));
        assertFails(FsError.NO_ENTRY, () -> fs.removeDirectory(ROOT, root, name("x")));
    }

    @Test
    void removeDirectory_emptyOrNot_goesOnlyIfEmpty() throws Exception {
        FileHandle directory = directory(root, "d");
        file(directory, "f");
        assertFails(FsError.NOT_EMPTY, () -> fs.removeDirectory(ROOT, root, name("d")));
        fs.remove(ROOT, directory, name("f"));
        fs.removeDirectory(ROOT, root, name("d"));
        assertFails(FsError.STALE, () -> attributes(directory));
        assertFails(FsError.STALE, () -> lookup(directory, "f"));
        assertFails(FsError.STALE, () -> file(directory, "f"));
    }

    @Test
    void rename_freeName_movesTheFile() throws Exception {
        FileHandle from = directory(root, "from");
        FileHandle to = directory(root, "to");
        FileHandle file = file(from, "a");
        fs.rename(ROOT, from, name("a"), to, name("b"));
        assertFails(FsError.NO_ENTRY, () -> lookup(from, "a"));
        assertThat(lookup(to, "b").handle()).isEqualTo(file);
        assertThat(attributes(file).linkCount()).isOne();
        assertFails(FsError.NO_ENTRY, () -> fs.rename(ROOT, from, name("a"), to, name("b")));
    }

    @Test
    void rename_overAFile_replacesIt() throws Exception {
        FileHandle source = file(root, "a");
        FileHandle victim = file(root, "b");
        write(victim, 0, bytes("old"));
        try (OpenFile open = fs.open(ROOT, victim, OpenAccess.READ)) {
            fs.rename(ROOT, root, name("a"), root, name("b"));
            assertThat(lookup(root, "b").handle()).isEqualTo(source);
            assertThat(read(open, 0, 10)).isEqualTo(bytes("old"));
        }
        assertFails(FsError.STALE, () -> attributes(victim));
        assertThat(names(root)).containsExactly("b");
    }

    @Test
    void rename_ontoItselfOrAnotherLink_doesNothing() throws Exception {
        FileHandle file = file(root, "a");
        fs.link(ROOT, file, root, name("b"));
        long ofDirectory = attributes(root).changeId();
        long ofFile = attributes(file).changeId();
        fs.rename(ROOT, root, name("a"), root, name("a"));
        fs.rename(ROOT, root, name("a"), root, name("b"));
        assertThat(names(root)).containsExactlyInAnyOrder("a", "b");
        assertThat(attributes(file).linkCount()).isEqualTo(2);
        assertThat(attributes(root).changeId()).isEqualTo(ofDirectory);
        assertThat(attributes(file).changeId()).isEqualTo(ofFile);
    }

    @Test
    void rename_directory_movesItsParentLink() throws Exception {
        FileHandle from = directory(root, "from");
        FileHandle to = directory(root, "to");
        FileHandle child = directory(from, "child");
        FileHandle inside = file(child, "inside");
        fs.rename(ROOT, from, name("child"), to, name("moved"));
        assertThat(fs.lookupParent(ROOT, child).handle()).isEqualTo(to);
        assertThat(attributes(from).linkCount()).isEqualTo(2);
        assertThat(attributes(to).linkCount()).isEqualTo(3);
        assertThat(lookup(child, "inside").handle()).isEqualTo(inside);
    }

    @Test
    void rename_directoryIntoItself_invalid() throws Exception {
        FileHandle a = directory(root, "a");
        FileHandle b = directory(a, "b");
        assertFails(FsError.INVALID, () -> fs.rename(ROOT, root, name("a"), a, name("c")));
        assertFails(FsError.INVALID, () -> fs.rename(ROOT, root, name("a"), b, name("c")));
        assertFails(FsError.NOT_EMPTY, () -> fs.rename(ROOT, a, name("b"), root, name("a")));
        assertThat(lookup(root, "a").handle()).isEqualTo(a);
    }

    @Test
    void rename_overAnotherKind_isRefused() throws Exception {
        directory(root, "d");
        file(root, "f");
        assertFails(FsError.IS_DIRECTORY, () -> fs.rename(ROOT, root, name("f"), root, name("d")));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.rename(ROOT, root, name("d"), root, name("f")));
    }

    @Test
    void rename_directoryOverADirectory_onlyIfEmpty() throws Exception {
        FileHandle source = directory(root, "source");
        FileHandle target = directory(root, "target");
        file(target, "f");
        assertFails(FsError.NOT_EMPTY, () -> fs.rename(ROOT, root, name("source"), root, name("target")));
        fs.remove(ROOT, target, name("f"));
        int links = attributes(root).linkCount();
        fs.rename(ROOT, root, name("source"), root, name("target"));
        assertThat(lookup(root, "target").handle()).isEqualTo(source);
        assertThat(attributes(root).linkCount()).isEqualTo(links - 1);
        assertFails(FsError.STALE, () -> attributes(target));
    }

    @Test
    void handles_malformed_areBad() throws Exception {
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(new byte[0])));
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(new byte[] {1, 2, 3})));
        byte[] longer = java.util.Arrays.copyOf(root.toBytes(), root.lengthBytes() + 1);
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(longer)));
    }

    @Test
    void handles_ofReusedNames_differ() throws Exception {
        FileHandle first = file(root, "a");
        fs.remove(ROOT, root, name("a"));
        FileHandle second = file(root, "a");
        assertThat(second).isNotEqualTo(first);
        assertFails(FsError.STALE, () -> attributes(first));
    }

    @Test
    void changeId_everyChange_isDifferentAndRises() throws Exception {
        FileHandle directory = directory(root, "d");
        long before = attributes(directory).changeId();
        for (int i = 0; i < 50; i++) {
            FileHandle file = file(directory, "f" + i);
            long afterCreate = attributes(directory).changeId();
            assertThat(afterCreate).isGreaterThan(before);
            long fileBefore = attributes(file).changeId();
            write(file, 0, bytes("x"));
            long afterWrite = attributes(file).changeId();
            assertThat(afterWrite).isGreaterThan(fileBefore);
            write(file, 0, bytes("y"));
            long afterSecond = attributes(file).changeId();
            assertThat(afterSecond).isGreaterThan(afterWrite);
            fs.setAttributes(ROOT, file, AttributeChanges.ofPermissions(0600 + i % 8));
            assertThat(attributes(file).changeId()).isGreaterThan(afterSecond);
            fs.link(ROOT, file, directory, name("g" + i));
            long afterLink = attributes(directory).changeId();
            assertThat(afterLink).isGreaterThan(afterCreate);
            fs.rename(ROOT, directory, name("g" + i), directory, name("h" + i));
            long afterRename = attributes(directory).changeId();
            assertThat(afterRename).isGreaterThan(afterLink);
            fs.remove(ROOT, directory, name("h" + i));
            before = attributes(directory).changeId();
            assertThat(before).isGreaterThan(afterRename);
        }
    }

    @Test
    void changeId_readsAndListings_leaveIt() throws Exception {
        FileHandle directory = directory(root, "d");
        FileHandle file = file(directory, "f");
        write(file, 0, bytes("x"));
        long ofFile = attributes(file).changeId();
        long ofDirectory = attributes(directory).changeId();
        read(file, 0, 1);
        names(directory);
        lookup(directory, "f");
        assertThat(attributes(file).changeId()).isEqualTo(ofFile);
        assertThat(attributes(directory).changeId()).isEqualTo(ofDirectory);
        assertThat(lookup(directory, "f").attributes().changeId()).isEqualTo(ofFile);
        assertThat(entries(directory, 0, 1).getFirst().node().attributes().changeId())
                .isEqualTo(ofFile);
    }

    @Test
    void statistics_ofAny_areConsistent() throws Exception {
        FsStatistics statistics = fs.statistics();
        assertThat(statistics.totalBytes()).isPositive();
        assertThat(statistics.freeBytes()).isBetween(0L, statistics.totalBytes());
        assertThat(statistics.availableBytes()).isBetween(0L, statistics.freeBytes());
        assertThat(statistics.freeFiles()).isBetween(0L, statistics.totalFiles());
        assertThat(fs.limits().maxNameBytes()).isEqualTo(255);
        assertThat(fs.limits().maxLinks()).isGreaterThan(1);
    }

    @Test
    void restart_handlesTakenBefore_areGoodOrStaleAsTheyWere() throws Exception {
        onlyIf(backend.keepsFiles(), "this backend keeps nothing");
        FileHandle directory = directory(root, "d");
        FileHandle file = file(directory, "f");
        write(file, 0, bytes("kept"));
        FileHandle moved = file(root, "before");
        fs.rename(ROOT, root, name("before"), directory, name("after"));
        FileHandle gone = file(root, "gone");
        fs.remove(ROOT, root, name("gone"));
        FileHandle link = fs.makeSymlink(ROOT, directory, name("s"), bytes("to"), AttributeChanges.NONE)
                .handle();
        long changeId = attributes(file).changeId();
        long directoryChangeId = attributes(directory).changeId();
        long verifier = fs.writeVerifier();
        restart();
        assertThat(fs.root()).isEqualTo(root);
        assertThat(fs.writeVerifier()).isNotEqualTo(verifier);
        assertThat(read(file, 0, 10)).isEqualTo(bytes("kept"));
        assertThat(attributes(file).changeId()).isGreaterThanOrEqualTo(changeId);
        assertThat(attributes(directory).changeId()).isGreaterThanOrEqualTo(directoryChangeId);
        assertThat(lookup(directory, "f").handle()).isEqualTo(file);
        assertThat(lookup(directory, "after").handle()).isEqualTo(moved);
        assertThat(attributes(moved).type()).isEqualTo(FileType.REGULAR);
        assertThat(fs.readSymlink(ROOT, link)).isEqualTo(bytes("to"));
        assertFails(FsError.STALE, () -> attributes(gone));
        file(root, "gone");
        assertFails(FsError.STALE, () -> attributes(gone));
        assertThat(fs.lookupParent(ROOT, directory).handle()).isEqualTo(root);
        file(directory, "new");
        assertThat(attributes(directory).changeId()).isGreaterThan(directoryChangeId);
    }

    @Test
    void restart_movedByTheHostMeanwhile_isFoundAgain() throws Exception {
        onlyIf(backend.hostRoot() != null, "no directory of the host");
        FileHandle directory = directory(root, "d");
        FileHandle file = file(directory, "f");
        FileHandle other = directory(root, "e");
        fs.close();
        Files.move(
                backend.hostRoot().resolve("d").resolve("f"),
                backend.hostRoot().resolve("e").resolve("g"));
        Files.move(backend.hostRoot().resolve("e"), backend.hostRoot().resolve("x"));
        fs = backend.start();
        assertThat(attributes(file).type()).isEqualTo(FileType.REGULAR);
        assertThat(lookup(other, "g").handle()).isEqualTo(file);
        assertThat(lookup(root, "x").handle()).isEqualTo(other);
    }

    @Test
    void restart_exclusiveVerifier_isKept() throws Exception {
        onlyIf(backend.keepsFiles(), "this backend keeps nothing");
        CreateMode exclusive = new CreateMode.Exclusive(-2, AttributeChanges.ofPermissions(0600));
        FileHandle file = fs.create(ROOT, root, name("a"), exclusive).node().handle();
        restart();
        Created repeated = fs.create(ROOT, root, name("a"), exclusive);
        assertThat(repeated.isNew()).isFalse();
        assertThat(repeated.node().handle()).isEqualTo(file);
    }
}
