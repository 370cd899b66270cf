package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** Reading a tree: names, attributes, contents, listings, handles and permissions. For any backend. */
public abstract class ReadingContract extends ContractFixture {
    private List<SampleTree.File> files;

    /** A tree that can be written is empty, and gets its files here. */
    @BeforeEach
    void fill() throws Exception {
        files = new ArrayList<>(SampleTree.files());
        files.removeIf(file -> file.type() == FileType.SYMLINK && !can(Capability.SYMLINKS));
        if (!can(Capability.WRITE)) {
            return;
        }
        for (SampleTree.File file : files) {
            FileHandle parent = find(file.parent()).handle();
            switch (file.type()) {
                case DIRECTORY -> directory(ROOT, parent, file.name(), file.permissions());
                case SYMLINK -> fs.makeSymlink(ROOT, parent, name(file.name()), file.bytes(), AttributeChanges.NONE);
                default -> write(file(ROOT, parent, file.name(), file.permissions()), 0, file.bytes());
            }
        }
    }

    private FileNode find(String path) throws Exception {
        FileNode at = new FileNode(fs.root(), attributes(fs.root()));
        for (String name : path.isEmpty() ? new String[0] : path.split("/", -1)) {
            at = lookup(at.handle(), name);
        }
        return at;
    }

    @Test
    void lookup_eachFile_hasItsAttributes() throws Exception {
        Set<Long> fileIds = new HashSet<>();
        long fileSystemId = attributes(root).fileSystemId();
        fileIds.add(attributes(root).fileId());
        for (SampleTree.File file : files) {
            FileNode found = find(file.path());
            FileAttributes attributes = found.attributes();
            assertThat(attributes).as(file.path()).isEqualTo(attributes(found.handle()));
            assertThat(attributes.type()).isEqualTo(file.type());
            assertThat(attributes.permissions()).as(file.path()).isEqualTo(file.permissions());
            assertThat(attributes.fileSystemId()).isEqualTo(fileSystemId);
            assertThat(fileIds.add(attributes.fileId()))
                    .as("file id of %s", file.path())
                    .isTrue();
            if (file.type() != FileType.DIRECTORY) {
                assertThat(attributes.sizeBytes()).as(file.path()).isEqualTo(file.bytes().length);
                assertThat(attributes.linkCount()).isOne();
            }
        }
        assertThat(attributes(root).linkCount()).isEqualTo(5);
        assertThat(find("a/b/c").attributes().linkCount()).isEqualTo(2);
    }

    @Test
    void lookup_absentNames_noEntry() throws Exception {
        for (String name : new String[] {"absent", "HELLO.TXT", "hello.tx", "hello.txt2", "a\\b", "n".repeat(201)}) {
            if (!can(Capability.CASE_INSENSITIVE) || !name.equals("HELLO.TXT")) {
                assertFails(FsError.NO_ENTRY, () -> lookup(root, name));
            }
        }
        FileHandle deep = find("a/b/c").handle();
        assertFails(FsError.NO_ENTRY, () -> lookup(deep, "hello.txt"));
        FileHandle file = find("hello.txt").handle();
        assertFails(FsError.NOT_DIRECTORY, () -> lookup(file, "a"));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.lookupParent(ROOT, file));
        assertFails(FsError.NOT_DIRECTORY, () -> fs.list(ROOT, file, 0, true, entry -> true));
    }

    @Test
    void lookupParent_fromTheDepth_leadsToTheRoot() throws Exception {
        FileHandle at = find("a/b/c").handle();
        for (String path : new String[] {"a/b", "a", "", ""}) {
            at = fs.lookupParent(ROOT, at).handle();
            assertThat(at).isEqualTo(find(path).handle());
        }
        assertThat(at).isEqualTo(root);
    }

    @Test
    void read_wholeFiles_areTheirContents() throws Exception {
        for (SampleTree.File file : files) {
            if (file.type() == FileType.REGULAR) {
                byte[] contents = file.bytes();
                byte[] read = read(find(file.path()).handle(), 0, contents.length + 10);
                assertThat(Arrays.equals(read, contents)).as(file.path()).isTrue();
            }
        }
    }

    @Test
    void read_anywhereInAnyOrder_isThatPart() throws Exception {
        Random random = new Random(7);
        for (String path : new String[] {"large.bin", "a/b/c/deep.bin", "zeroes", "hello.txt", "empty"}) {
            byte[] contents = contentsOf(path);
            try (OpenFile open = fs.open(ROOT, find(path).handle(), OpenAccess.READ)) {
                for (int i = 0; i < 60; i++) {
                    int offset = random.nextInt(contents.length + 20);
                    int length = random.nextInt(i % 2 == 0 ? 100 : 300_000);
                    int from = Math.min(offset, contents.length);
                    byte[] expected = Arrays.copyOfRange(contents, from, Math.min(from + length, contents.length));
                    assertThat(Arrays.equals(read(open, offset, length), expected))
                            .as("%s at %s for %s", path, offset, length)
                            .isTrue();
                }
                assertThat(open.read(ByteBuffer.allocate(10), Long.MAX_VALUE)).isZero();
                assertThat(open.attributes().sizeBytes()).isEqualTo(contents.length);
                assertThat(open.handle()).isEqualTo(find(path).handle());
            }
        }
    }

    private byte[] contentsOf(String path) {
        return files.stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .orElseThrow()
                .bytes();
    }

    @Test
    void read_byManyAtOnce_isEachTimeTheContents() throws Exception {
        byte[] contents = contentsOf("large.bin");
        FileHandle file = find("large.bin").handle();
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int seed = i;
                running.add(threads.submit(() -> {
                    Random random = new Random(seed);
                    boolean same = true;
                    for (int round = 0; round < 20; round++) {
                        int offset = random.nextInt(contents.length);
                        int end = Math.min(contents.length, offset + 70_000);
                        same &= Arrays.equals(read(file, offset, 70_000), Arrays.copyOfRange(contents, offset, end));
                    }
                    return same;
                }));
            }
            for (Future<Boolean> one : running) {
                assertThat(one.get(60, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void seek_inAFile_findsWhatReadsAsData() throws Exception {
        try (OpenFile open = fs.open(ROOT, find("hello.txt").handle(), OpenAccess.READ)) {
            assertThat(open.seekData(0)).isZero();
            assertThat(open.seekData(5)).isEqualTo(5);
            assertThat(open.seekHole(5)).isEqualTo(13);
            assertFails(FsError.NO_DEVICE, () -> open.seekData(13));
            assertFails(FsError.NO_DEVICE, () -> open.seekHole(13));
        }
    }

    @Test
    void open_ofAnythingElse_saysWhatItIs() throws Exception {
        assertFails(FsError.IS_DIRECTORY, () -> fs.open(ROOT, root, OpenAccess.READ));
        FileHandle file = find("hello.txt").handle();
        assertFails(FsError.INVALID, () -> fs.readSymlink(ROOT, file));
        assertFails(FsError.INVALID, () -> fs.readSymlink(ROOT, root));
        if (can(Capability.SYMLINKS)) {
            FileHandle link = find("link").handle();
            assertThat(fs.readSymlink(STRANGER, link)).isEqualTo(bytes("a/b/c/deep.bin"));
            assertFails(FsError.SYMLINK, () -> fs.open(ROOT, link, OpenAccess.READ));
            assertFails(FsError.NOT_DIRECTORY, () -> lookup(link, "x"));
        }
    }

    @Test
    void list_eachDirectory_hasJustItsFiles() throws Exception {
        for (String path : new String[] {"", "a", "a/b", "a/b/c", "hollow", SampleTree.CROWD}) {
            Map<String, SampleTree.File> expected = new HashMap<>();
            files.stream().filter(file -> file.parent().equals(path)).forEach(file -> expected.put(file.name(), file));
            FileHandle directory = find(path).handle();
            List<DirectoryEntry> entries = entries(directory, 0, Integer.MAX_VALUE);
            assertThat(entries).extracting(entry -> entry.name().toString()).hasSize(expected.size());
            for (DirectoryEntry entry : entries) {
                SampleTree.File file = expected.get(entry.name().toString());
                assertThat(file).as(entry.name().toString()).isNotNull();
                assertThat(entry.type()).isEqualTo(file.type());
                assertThat(entry.node()).isEqualTo(fs.lookup(ROOT, directory, entry.name()));
                assertThat(entry.fileId()).isEqualTo(entry.node().attributes().fileId());
            }
            assertThat(fs.list(ROOT, directory, 0, false, entry -> entry.node() == null && entry.error() == null))
                    .isTrue();
        }
    }

    @Test
    void list_stoppedAnywhere_resumesWithWhatWasNotTaken() throws Exception {
        FileHandle crowd = find(SampleTree.CROWD).handle();
        for (int step : new int[] {1, 7, 59, 60, 61}) {
            List<FileName> seen = new ArrayList<>();
            Set<Long> cookies = new HashSet<>(Set.of(0L, 1L, 2L));
            long cookie = 0;
            for (List<DirectoryEntry> part = entries(crowd, 0, step);
                    !part.isEmpty();
                    part = entries(crowd, cookie, step)) {
                part.forEach(entry -> seen.add(entry.name()));
                assertThat(part).allMatch(entry -> cookies.add(entry.cookie()));
                cookie = part.getLast().cookie();
            }
            assertThat(seen).doesNotHaveDuplicates().hasSize(SampleTree.CROWD_FILES);
        }
    }

    @Test
    void handles_malformed_areBadOrStale() throws Exception {
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(new byte[0])));
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(new byte[] {1, 2, 3})));
        byte[] longer = Arrays.copyOf(root.toBytes(), root.lengthBytes() + 1);
        assertFails(FsError.BAD_HANDLE, () -> attributes(FileHandle.of(longer)));
    }

    @Test
    @Needs(Capability.PERSISTENT_HANDLES)
    void restart_handlesTakenBefore_leadToTheSameFiles() throws Exception {
        if (!backend.keepsFiles()) {
            FileHandle file = find("hello.txt").handle();
            restart();
            assertFails(FsError.STALE, () -> attributes(file));
            return;
        }
        Map<String, FileNode> before = new HashMap<>();
        for (SampleTree.File file : files) {
            before.put(file.path(), find(file.path()));
        }
        restart();
        assertThat(fs.root()).isEqualTo(root);
        for (SampleTree.File file : files) {
            FileNode node = before.get(file.path());
            FileAttributes after = attributes(node.handle());
            assertThat(find(file.path()).handle()).as(file.path()).isEqualTo(node.handle());
            assertThat(after.fileId()).isEqualTo(node.attributes().fileId());
            assertThat(after.type()).isEqualTo(file.type());
            if (!can(Capability.WRITE)) {
                assertThat(after).isEqualTo(node.attributes());
            }
        }
        assertThat(read(before.get("hello.txt").handle(), 7, 100)).isEqualTo(bytes("world\n"));
    }

    @Test
    void permissions_ofAStranger_areThoseOfOthers() throws Exception {
        Set<Permission> all = Set.of(Permission.values());
        FileHandle hello = find("hello.txt").handle();
        FileHandle secret = find("private").handle();
        assertThat(fs.permissions(STRANGER, hello, all)).containsExactly(Permission.READ);
        assertThat(fs.permissions(STRANGER, find("script.sh").handle(), all))
                .containsExactlyInAnyOrder(Permission.READ, Permission.EXECUTE);
        assertThat(fs.permissions(STRANGER, root, all)).containsExactlyInAnyOrder(Permission.READ, Permission.EXECUTE);
        assertThat(fs.permissions(STRANGER, secret, all)).isEmpty();
        assertFails(FsError.ACCESS, () -> fs.open(STRANGER, secret, OpenAccess.READ));
        assertThat(read(secret, 0, 3)).isEqualTo(bytes("for"));
        assertThat(fs.permissions(ROOT, hello, all).contains(Permission.WRITE)).isEqualTo(can(Capability.WRITE));
        assertThat(fs.permissions(ROOT, root, all).contains(Permission.WRITE)).isEqualTo(can(Capability.WRITE));
    }

    @Test
    void times_ofEachFile_areInTheStep() throws Exception {
        for (SampleTree.File file : files) {
            FileAttributes attributes = find(file.path()).attributes();
            assertThat(attributes.modifyTime())
                    .isEqualTo(stepped(
                            attributes.modifyTime().seconds(),
                            attributes.modifyTime().nanos()));
        }
    }
}
