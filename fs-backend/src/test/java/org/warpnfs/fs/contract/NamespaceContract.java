package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Timestamp;

/** Names of files: lookup, link, rename, remove. */
public abstract class NamespaceContract extends ContractFixture {
    @Test
    void root_attributes_areThoseOfADirectory() throws Exception {
        FileAttributes attributes = attributes(root);

        assertThat(attributes.type()).isEqualTo(FileType.DIRECTORY);
        assertThat(attributes.linkCount()).isGreaterThanOrEqualTo(2);
        assertThat(fs.lookupParent(ROOT, root).handle()).isEqualTo(root);
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
        if (can(Capability.RENAME)) {
            assertFails(FsError.NOT_DIRECTORY, () -> fs.rename(ROOT, root, name("f"), file, name("a")));
        }
    }

    @Test
    @Needs(Capability.SYMLINKS)
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
    @Needs(Capability.SYMLINKS)
    void setAttributes_ofASymlink_setsTimesAndBearsPermissions() throws Exception {
        FileHandle link = fs.makeSymlink(ROOT, root, name("s"), bytes("nowhere"), AttributeChanges.NONE)
                .handle();
        Timestamp time = new Timestamp(1_000_000_000, 5);
        TimeChange to = new TimeChange.To(time);

        fs.setAttributes(ROOT, link, new AttributeChanges(0755, null, null, null, to, to));

        assertThat(attributes(link).modifyTime()).isEqualTo(stepped(1_000_000_000, 5));
        assertThat(attributes(link).accessTime()).isEqualTo(stepped(1_000_000_000, 5));
        assertThat(fs.readSymlink(ROOT, link)).isEqualTo(bytes("nowhere"));
    }

    @Test
    @Needs(Capability.HARD_LINKS)
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
    @Needs(Capability.HARD_LINKS)
    void link_takenNameOrDirectory_isRefused() throws Exception {
        FileHandle file = file(root, "a");
        FileHandle directory = directory(root, "d");

        assertFails(FsError.EXISTS, () -> fs.link(ROOT, file, root, name("d")));
        assertFails(FsError.NOT_PERMITTED, () -> fs.link(ROOT, directory, root, name("e")));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.link(ROOT, directory, file, name("e")));
    }

    @Test
    @Needs({Capability.HARD_LINKS, Capability.SYMLINKS})
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
        if (can(Capability.HARD_LINKS)) {
            assertFails(FsError.STALE, () -> fs.link(ROOT, file, root, name("b")));
        }
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
    @Needs(Capability.RENAME)
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
    @Needs(Capability.RENAME)
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
    @Needs({Capability.HARD_LINKS, Capability.RENAME})
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
    @Needs(Capability.RENAME)
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
    @Needs(Capability.RENAME)
    void rename_directoryIntoItself_invalid() throws Exception {
        FileHandle a = directory(root, "a");
        FileHandle b = directory(a, "b");

        assertFails(FsError.INVALID, () -> fs.rename(ROOT, root, name("a"), a, name("c")));
        assertFails(FsError.INVALID, () -> fs.rename(ROOT, root, name("a"), b, name("c")));
        assertFails(FsError.NOT_EMPTY, () -> fs.rename(ROOT, a, name("b"), root, name("a")));
        assertThat(lookup(root, "a").handle()).isEqualTo(a);
    }

    @Test
    @Needs(Capability.RENAME)
    void rename_overAnotherKind_isRefused() throws Exception {
        directory(root, "d");
        file(root, "f");

        assertFails(FsError.IS_DIRECTORY, () -> fs.rename(ROOT, root, name("f"), root, name("d")));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.rename(ROOT, root, name("d"), root, name("f")));
    }

    @Test
    @Needs(Capability.RENAME)
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
}
