package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.Timestamp;

/** What only a directory of the host has: a host that changes it, descriptors, mounts, syncs that fail. */
class LocalFileSystemTest {
    private static final Caller USER = new Caller(1000, 1000, List.of());
    private static final LocalOptions UNPRIVILEGED = LocalOptions.DEFAULTS.withoutPrivileges();

    @TempDir
    Path base;

    private Path tree;
    private LocalFileSystem fs;

    @BeforeEach
    void start() throws Exception {
        tree = Files.createDirectory(base.resolve("tree"));
        fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS);
    }

    @AfterEach
    void stop() {
        fs.close();
    }

    private void restart(LocalOptions options) throws IOException {
        fs.close();
        fs = LocalFileSystem.open(tree, options);
    }

    private static void assertFails(FsError expected, ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(FsException.class))
                .extracting(FsException::error)
                .isEqualTo(expected);
    }

    private FileHandle create(FileHandle directory, String name) throws FsException {
        return fs.create(
                        Caller.ROOT,
                        directory,
                        FileName.of(name),
                        new CreateMode.Guarded(AttributeChanges.ofPermissions(0644)))
                .node()
                .handle();
    }

    private FileHandle lookup(FileHandle directory, String name) throws FsException {
        return fs.lookup(Caller.ROOT, directory, FileName.of(name)).handle();
    }

    private void readAndWrite(FileHandle file) throws FsException {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1}), 0, Stability.UNSTABLE);
            open.read(ByteBuffer.allocate(1), 0);
        }
    }

    private long descriptorsInTree() throws IOException {
        long count = 0;
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    if (Files.readSymbolicLink(link).startsWith(base)) {
                        count++;
                    }
                } catch (IOException e) {
                    // closed meanwhile: that of the listing itself
                }
            }
        }
        return count;
    }

    /** Of a file that nobody has changed here; a clock that goes back takes it along, so nothing better is promised. */
    @Test
    void changeId_isMadeFromTheChangeTime_andSaysNoMore() throws Exception {
        Path seen = Files.writeString(tree.resolve("seen"), "by others");
        FileAttributes attributes =
                fs.attributes(lookup(fs.root(), seen.getFileName().toString()));
        Timestamp changed = attributes.changeTime();
        long nanos = TimeUnit.SECONDS.toNanos(changed.seconds()) + changed.nanos();
        assertThat(attributes.changeId() - nanos).isBetween(0L, TimeUnit.SECONDS.toNanos(2));
        assertThat(fs.limits().changeOrder()).isEqualTo(ChangeOrder.CHANGE_TIME);
    }

    @Test
    void open_unusableDirectory_saysWhy() throws Exception {
        assertThatThrownBy(() -> LocalFileSystem.open(base.resolve("nothing"), LocalOptions.DEFAULTS))
                .isInstanceOf(IOException.class)
                .hasMessage("no such directory: " + base.resolve("nothing"));
        Path file = Files.createFile(base.resolve("file"));
        assertThatThrownBy(() -> LocalFileSystem.open(file, LocalOptions.DEFAULTS))
                .isInstanceOf(IOException.class)
                .hasMessage("not a directory: " + file);
    }

    @Test
    void close_afterAllKindsOfUse_leavesNoDescriptor() throws Exception {
        for (LocalOptions options :
                List.of(LocalOptions.DEFAULTS, UNPRIVILEGED.withStateDirectory(base.resolve("state")))) {
            restart(options);
            for (int i = 0; i < 20; i++) {
                readAndWrite(create(fs.root(), "f" + i));
            }
            FileHandle link = fs.makeSymlink(
                            Caller.ROOT, fs.root(), FileName.of("s"), new byte[] {'x'}, AttributeChanges.NONE)
                    .handle();
            fs.setAttributes(
                    Caller.ROOT,
                    link,
                    new AttributeChanges(null, null, null, null, new AttributeChanges.TimeChange.ToServerTime(), null));
            assertFails(FsError.EXISTS, () -> create(fs.root(), "f1"));
            assertFails(FsError.NO_ENTRY, () -> lookup(fs.root(), "x"));
            assertFails(FsError.NOT_DIRECTORY, () -> fs.lookupParent(Caller.ROOT, lookup(fs.root(), "f1")));
            fs.list(Caller.ROOT, fs.root(), 0, true, entry -> false);
            fs.rename(Caller.ROOT, fs.root(), FileName.of("f0"), fs.root(), FileName.of("f1"));
            fs.remove(Caller.ROOT, fs.root(), FileName.of("f2"));
            OpenFile leftOpen = fs.open(Caller.ROOT, lookup(fs.root(), "f3"), OpenAccess.READ);
            assertThat(descriptorsInTree()).isPositive();
            fs.close();
            assertThat(descriptorsInTree()).isZero();
            assertFails(FsError.STALE, () -> leftOpen.read(ByteBuffer.allocate(1), 0));
            assertFails(FsError.STALE, () -> fs.attributes(fs.root()));
            leftOpen.close();
            try (Stream<Path> files = Files.list(tree)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void idleDescriptors_beyondTheirNumber_areClosed() throws Exception {
        restart(LocalOptions.DEFAULTS.withMaxIdleFiles(3));
        long before = descriptorsInTree();
        for (int i = 0; i < 20; i++) {
            readAndWrite(create(fs.root(), "f" + i));
        }
        assertThat(descriptorsInTree()).isEqualTo(before + 3);
        for (int i = 0; i < 20; i++) {
            fs.remove(Caller.ROOT, fs.root(), FileName.of("f" + i));
        }
        assertThat(descriptorsInTree()).isEqualTo(before);
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
    void serverDied_tableWithoutItsEnd_filesAreSearchedFor() throws Exception {
        Path state = base.resolve("state");
        restart(UNPRIVILEGED.withStateDirectory(state));
        FileHandle directory = fs.makeDirectory(
                        Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755))
                .handle();
        FileHandle file = create(directory, "f");
        fs.close();
        try (Stream<Path> logs = Files.list(state)) {
            Path log = logs.filter(path -> path.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
            byte[] whole = Files.readAllBytes(log);
            Files.write(log, Arrays.copyOf(whole, 20));
        }
        restart(UNPRIVILEGED.withStateDirectory(state));
        assertThat(fs.attributes(file).linkCount()).isOne();
        assertThat(lookup(fs.root(), "d")).isEqualTo(directory);
        assertFails(FsError.STALE, () -> fs.attributes(flippedInode(file)));
    }

    private static FileHandle flippedInode(FileHandle handle) {
        byte[] bytes = handle.toBytes();
        bytes[12] ^= 1;
        return FileHandle.of(bytes);
    }

    @Test
    void stateDirectory_ofAnotherServer_isRefused() throws Exception {
        LocalOptions options = UNPRIVILEGED.withStateDirectory(base.resolve("state"));
        restart(options);
        assertThatThrownBy(() -> LocalFileSystem.open(tree, options))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another server uses");
    }

    @Test
    void noStateDirectory_restarted_filesAreSearchedFor() throws Exception {
        restart(UNPRIVILEGED);
        FileHandle file = create(fs.root(), "f");
        restart(UNPRIVILEGED);
        assertThat(fs.attributes(file).linkCount()).isOne();
    }

    @Test
    void handles_ofAnotherTree_areStale() throws Exception {
        FileHandle file = create(fs.root(), "f");
        Path other = Files.createDirectory(base.resolve("other"));
        try (LocalFileSystem second = LocalFileSystem.open(other, LocalOptions.DEFAULTS)) {
            assertFails(FsError.STALE, () -> second.attributes(file));
            assertFails(FsError.STALE, () -> second.attributes(fs.root()));
        }
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

    @Test
    void sync_thatFails_changesTheVerifierFirst() throws Exception {
        fs.close();
        AtomicBoolean failing = new AtomicBoolean();
        Startup.KernelSyncCalls kernel = new Startup.KernelSyncCalls();
        Durability.SyncCalls calls = new Durability.SyncCalls() {
            private void failIfAsked() throws ErrnoException {
                if (failing.get()) {
                    throw ErrnoException.of(Errno.EIO);
                }
            }

            @Override
            public void fsync(Fd fd) throws ErrnoException {
                failIfAsked();
                kernel.fsync(fd);
            }

            @Override
            public void fdatasync(Fd fd) throws ErrnoException {
                failIfAsked();
                kernel.fdatasync(fd);
            }

            @Override
            public void syncFileSystem(Fd fd) throws ErrnoException {
                failIfAsked();
                kernel.syncFileSystem(fd);
            }
        };
        fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS, calls);
        FileHandle file = create(fs.root(), "f");
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            failing.set(true);
            for (Stability stability : EnumSet.of(Stability.DATA_SYNC, Stability.FILE_SYNC)) {
                long before = fs.writeVerifier();
                assertFails(FsError.IO, () -> open.write(ByteBuffer.wrap(new byte[] {1}), 0, stability));
                assertThat(fs.writeVerifier()).isNotEqualTo(before);
            }
            long before = fs.writeVerifier();
            assertFails(FsError.IO, open::sync);
            assertThat(fs.writeVerifier()).isNotEqualTo(before);
            assertFails(FsError.IO, () -> create(fs.root(), "g"));
            failing.set(false);
            open.sync();
        }
    }

    @Test
    void identity_afterCallsAsOthers_isTheServersAgain() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "only root lends identities");
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
        FileHandle file = create(fs.root(), "f");
        fs.setAttributes(Caller.ROOT, file, AttributeChanges.ofPermissions(0600));
        String before = statusOfThisThread();
        assertFails(FsError.ACCESS, () -> fs.open(USER, file, OpenAccess.READ));
        fs.makeDirectory(
                new Caller(1000, 1000, List.of(1L, 2L, 3L)),
                fs.root(),
                FileName.of("d"),
                AttributeChanges.ofPermissions(0700));
        assertThat(statusOfThisThread()).isEqualTo(before);
        assertFails(
                FsError.ACCESS, () -> fs.lookup(new Caller(0xffff_ffffL, 0, List.of()), fs.root(), FileName.of("f")));
        assertThat(statusOfThisThread()).isEqualTo(before);
    }

    private static String statusOfThisThread() throws IOException {
        return String.join(
                "\n",
                Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                        .filter(line ->
                                line.startsWith("Uid:") || line.startsWith("Gid:") || line.startsWith("Groups:"))
                        .toList());
    }

    @Test
    void accessControlList_ofAFile_decidesInEachMode() throws Exception {
        Assumptions.assumeTrue(LocalBackend.IS_ROOT, "files of others are needed");
        FileHandle file = create(fs.root(), "f");
        // u::rw, u:1000:rw, g::r, g:2000:rw, mask r, o::- : what is named is cut by the mask
        byte[] acl = acl(0x01, 6, -1, 0x02, 6, 1000, 0x04, 4, -1, 0x08, 6, 2000, 0x10, 4, -1, 0x20, 0, -1);
        try (Fd fd =
                OpenCalls.open(tree.resolve("f").toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY)) {
            XattrCalls.set(fd, "system.posix_acl_access".getBytes(StandardCharsets.UTF_8), acl, 0);
        } catch (ErrnoException e) {
            Assumptions.abort("no access control lists here: errno " + e.errno());
        }
        Caller inGroup = new Caller(1001, 1001, List.of(2000L));
        Caller inOwningGroup = new Caller(1002, 0, List.of());
        Caller stranger = new Caller(1003, 1003, List.of());
        for (LocalOptions options : List.of(LocalOptions.DEFAULTS, UNPRIVILEGED)) {
            restart(options);
            FileHandle again = lookup(fs.root(), "f");
            assertThat(file.toBytes()).isNotEmpty();
            for (Caller caller : List.of(USER, inGroup, inOwningGroup)) {
                assertThat(fs.permissions(caller, again, EnumSet.allOf(Permission.class)))
                        .as("%s with %s", caller, options)
                        .containsExactly(Permission.READ);
            }
            assertThat(fs.permissions(stranger, again, EnumSet.allOf(Permission.class)))
                    .isEmpty();
            assertFails(FsError.ACCESS, () -> fs.open(USER, again, OpenAccess.WRITE));
            fs.open(USER, again, OpenAccess.READ).close();
        }
    }

    private static byte[] acl(int... tagPermissionsId) {
        ByteBuffer out = ByteBuffer.allocate(4 + tagPermissionsId.length / 3 * 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(2);
        for (int i = 0; i < tagPermissionsId.length; i += 3) {
            out.putShort((short) tagPermissionsId[i])
                    .putShort((short) tagPermissionsId[i + 1])
                    .putInt(tagPermissionsId[i + 2]);
        }
        return out.array();
    }

    @Test
    void unprivileged_newSetUserIdFile_isNotTheServersForOthers() throws Exception {
        restart(UNPRIVILEGED);
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0777));
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(06755));
        assertThat(fs.create(USER, fs.root(), FileName.of("f"), mode)
                        .node()
                        .attributes()
                        .permissions())
                .isEqualTo(0755);
    }
}
