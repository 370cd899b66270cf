package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;

/** A tree that users of the host change, and the parts of the host that it must not reach. */
class ChangedByTheHostTest extends LocalTreeFixture {
    private void readAndWrite(FileHandle file) throws FsException {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1}), 0, Stability.UNSTABLE);
            open.read(ByteBuffer.allocate(1), 0);
        }
    }

    /**
     * For a file that nobody has changed here. A clock that goes back takes the change id along, so no order is
     * promised.
     */
    @Test
    void changeId_isMadeFromTheChangeTime_andSaysNoMore() throws Exception {
        Path seen = Files.writeString(tree.resolve("seen"), "by others");
        FileAttributes attributes =
                fs.attributes(lookup(fs.root(), seen.getFileName().toString()));
        Timestamp changed = attributes.changeTime();
        long nanos = TimeUnit.SECONDS.toNanos(changed.seconds()) + changed.nanos();

        assertThat(attributes.changeId() - nanos).isBetween(0L, TimeUnit.SECONDS.toNanos(2));
        assertThat(fs.limits().changeOrder()).isEqualTo(ChangeOrder.NONE);
    }

    @Test
    void hostRemovesAFile_itsHandleIsStale() throws Exception {
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, UNPRIVILEGED)) {
            restart(options);
            FileHandle file = create(fs.root(), "f");
            readAndWrite(file);
            Files.delete(tree.resolve("f"));
            Files.createFile(tree.resolve("f"));
            assertFails(FsError.STALE, () -> fs.open(Caller.ROOT, file, OpenAccess.READ));
            assertFails(FsError.STALE, () -> fs.attributes(file));
            assertThat(lookup(fs.root(), "f")).isNotEqualTo(file);
            Files.delete(tree.resolve("f"));
        }
    }

    /** Each descriptor that the server keeps of the file would keep the other one's handle good. */
    @Test
    void hostRemovesAFile_thatWasReadAndWrittenByDifferentOpens_itsHandleIsStale() throws Exception {
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, UNPRIVILEGED)) {
            restart(options);
            for (OpenAccess access : OpenAccess.values()) {
                FileHandle file = readAndWrittenApart();
                Files.delete(tree.resolve("f"));
                assertFails(FsError.STALE, () -> fs.open(Caller.ROOT, file, access));
            }
        }
    }

    @Test
    void hostRemovesAFile_thatTheTableOfHandlesHas_itsAttributesAreStaleAtOnce() throws Exception {
        restart(UNPRIVILEGED);
        FileHandle file = readAndWrittenApart();
        Files.delete(tree.resolve("f"));

        assertFails(FsError.STALE, () -> fs.attributes(file));
    }

    @Test
    void hostRemovesAFile_thatSomebodyHasOpen_itsHandleStaysGood() throws Exception {
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, UNPRIVILEGED)) {
            restart(options);
            for (OpenAccess held : OpenAccess.values()) {
                FileHandle file = readAndWrittenApart();
                try (OpenFile _ = fs.open(Caller.ROOT, file, held)) {
                    Files.delete(tree.resolve("f"));
                    for (OpenAccess access : OpenAccess.values()) {
                        fs.open(Caller.ROOT, file, access).close();
                        assertThat(fs.attributes(file).linkCount()).isZero();
                    }
                }
                assertFails(FsError.STALE, () -> fs.open(Caller.ROOT, file, held));
            }
        }
    }

    /** A file of which a descriptor for reading is kept, and one for writing with unsynced data. */
    private FileHandle readAndWrittenApart() throws FsException {
        FileHandle file = create(fs.root(), "f");
        fs.open(Caller.ROOT, file, OpenAccess.READ).close();
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1}), 0, Stability.UNSTABLE);
        }
        return file;
    }

    @Test
    void hostMovesADirectory_handlesWithinStayGood() throws Exception {
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, UNPRIVILEGED)) {
            restart(options);
            FileHandle directory = fs.makeDirectory(
                            Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755))
                    .handle();
            FileHandle file = create(directory, "f");
            Files.move(tree.resolve("d"), tree.resolve("e"));
            assertThat(fs.attributes(file).linkCount()).isOne();
            assertThat(lookup(fs.root(), "e")).isEqualTo(directory);
            assertThat(lookup(directory, "f")).isEqualTo(file);
            Files.delete(tree.resolve("e").resolve("f"));
            Files.delete(tree.resolve("e"));
        }
    }

    @Test
    void secondLink_afterTheFirstIsRemoved_isFoundByTheTable() throws Exception {
        restart(UNPRIVILEGED.withStateDirectory(base.resolve("state")));
        FileHandle file = create(fs.root(), "a");
        fs.link(Caller.ROOT, file, fs.root(), FileName.of("b"));

        fs.remove(Caller.ROOT, fs.root(), FileName.of("b"));

        assertThat(fs.attributes(file).linkCount()).isOne();
    }

    @Test
    void mountPoint_withinTheTree_isAClosedDoor() throws Exception {
        try (LocalFileSystem whole = LocalFileSystem.open(Path.of("/"), LocalOptions.DEFAULTS)) {
            assertFails(FsError.ACCESS, () -> whole.lookup(Caller.ROOT, whole.root(), FileName.of("proc")));

            List<DirectoryEntry> entries = new ArrayList<>();
            whole.list(Caller.ROOT, whole.root(), 0, true, entries::add);
            assertThat(entries)
                    .filteredOn(entry -> entry.name().toString().equals("proc"))
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.node()).isNull();
                        assertThat(entry.error()).isEqualTo(FsError.ACCESS);
                        assertThat(entry.type()).isEqualTo(FileType.DIRECTORY);
                        assertThat(entry.fileId()).isPositive();
                    });
            assertThat(whole.lookupParent(Caller.ROOT, whole.root()).handle()).isEqualTo(whole.root());
        }
    }

    @Test
    void symlinkOutOfTheTree_isNeverFollowed() throws Exception {
        Files.createSymbolicLink(tree.resolve("out"), Path.of("/etc"));

        FileHandle link = lookup(fs.root(), "out");

        assertFails(FsError.NOT_DIRECTORY, () -> lookup(link, "passwd"));
        assertFails(FsError.SYMLINK, () -> fs.open(Caller.ROOT, link, OpenAccess.READ));
        assertFails(FsError.NOT_DIRECTORY, () -> create(link, "f"));
    }
}
