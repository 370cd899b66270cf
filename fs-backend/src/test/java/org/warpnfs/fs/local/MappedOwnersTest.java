package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.fs.spi.XattrMode;

/** Owners in extended attributes: what is on the host, and what clients must not see of it. */
class MappedOwnersTest {
    private static final Caller USER = new Caller(1000, 1000, List.of());
    private static final Caller OTHER = new Caller(1001, 1001, List.of());
    private static final String ATTRIBUTE = OwnerAttribute.NAME.substring("user.".length());

    private Path tree;
    private LocalFileSystem fs;
    private FileHandle shared;

    @BeforeEach
    void open() throws Exception {
        tree = Files.createTempDirectory(LocalBackend.TMPFS, "warpnfs-mapped");
        fs = start();
        shared = fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0777))
                .handle();
    }

    private LocalFileSystem start() throws IOException {
        return LocalFileSystem.open(
                tree, LocalOptions.DEFAULTS.withoutKernelHandles().withIdentity(LocalOptions.Identity.MAPPED));
    }

    @AfterEach
    void close() throws IOException {
        fs.close();
        TmpfsDirectory.remove(tree);
    }

    private FileHandle create(Caller caller, String name, int permissions) throws FsException {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(permissions));
        return fs.create(caller, shared, FileName.of(name), mode).node().handle();
    }

    private Path host(String name) {
        return tree.resolve("d").resolve(name);
    }

    private static void assertFails(FsError error, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(FsException.class, e -> assertThat(e.error())
                .isEqualTo(error));
    }

    @Test
    void filesOnTheHost_letNobodyElseIn() throws Exception {
        create(USER, "f", 06777);
        fs.makeDirectory(USER, shared, FileName.of("s"), AttributeChanges.ofPermissions(01777));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(host("f"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(host("s"))))
                .isEqualTo("rwx------");
        assertThat((Integer) Files.getAttribute(host("f"), "unix:mode") & 07000).isZero();
    }

    @Test
    void linkAndDevice_areRegularFilesOnTheHost_andWhatTheyAreToClientsAlsoAfterARestart() throws Exception {
        byte[] target = "some/where".getBytes(StandardCharsets.UTF_8);
        FileHandle link = fs.makeSymlink(USER, shared, FileName.of("l"), target, AttributeChanges.NONE)
                .handle();
        fs.makeSpecial(
                Caller.ROOT, shared, FileName.of("c"), FileType.CHARACTER_DEVICE, 5, 300_000, AttributeChanges.NONE);
        assertThat(host("l")).isRegularFile().hasContent("some/where");
        fs.close();
        fs = start();

        FileAttributes seen = fs.lookup(USER, directory(), FileName.of("l")).attributes();
        assertThat(seen.type()).isEqualTo(FileType.SYMLINK);
        assertThat(seen.uid()).isEqualTo(USER.uid());
        assertThat(seen.permissions()).isEqualTo(0777);
        assertThat(fs.readSymlink(OTHER, link)).isEqualTo(target);
        assertFails(FsError.SYMLINK, () -> fs.open(USER, link, OpenAccess.READ));
        FileAttributes device = fs.lookup(USER, directory(), FileName.of("c")).attributes();
        assertThat(device.type()).isEqualTo(FileType.CHARACTER_DEVICE);
        assertThat(device.deviceMajor()).isEqualTo(5);
        assertThat(device.deviceMinor()).isEqualTo(300_000);
    }

    private FileHandle directory() throws FsException {
        return fs.lookup(Caller.ROOT, fs.root(), FileName.of("d")).handle();
    }

    @Test
    void attribute_isHiddenFromClientsAndNotTheirsToChange() throws Exception {
        FileHandle file = create(USER, "f", 0600);
        byte[] name = ATTRIBUTE.getBytes(StandardCharsets.UTF_8);
        byte[] foreign = view("f").list().contains(ATTRIBUTE) ? new byte[28] : new byte[0];

        assertThat(foreign).isNotEmpty();
        assertThat(fs.listXattrs(USER, file)).isEmpty();
        assertFails(FsError.NO_ATTRIBUTE, () -> fs.getXattr(USER, file, name));
        assertFails(FsError.NOT_PERMITTED, () -> fs.setXattr(USER, file, name, foreign, XattrMode.EITHER));
        assertFails(FsError.NOT_PERMITTED, () -> fs.removeXattr(USER, file, name));
        assertThat(fs.attributes(file).uid()).isEqualTo(USER.uid());
    }

    private UserDefinedFileAttributeView view(String name) {
        return Files.getFileAttributeView(host(name), UserDefinedFileAttributeView.class);
    }

    @Test
    void attribute_damaged_isAnErrorAndNobodysFile() throws Exception {
        FileHandle file = create(USER, "f", 0600);
        for (byte[] damaged : List.of(new byte[0], new byte[27], new byte[28], longList())) {
            view("f").write(ATTRIBUTE, ByteBuffer.wrap(damaged));

            assertFails(FsError.IO, () -> fs.attributes(file));
            assertFails(FsError.IO, () -> fs.open(Caller.ROOT, file, OpenAccess.READ));
        }
    }

    /** Claims a list that is longer than the attribute. */
    private static byte[] longList() {
        byte[] value = new byte[28];
        value[0] = 1;
        value[27] = 0x7f;
        return value;
    }

    @Test
    void fileOfTheHost_isAsTheHostShowsIt_untilItIsChanged() throws Exception {
        Files.writeString(host("h"), "text");
        Files.setPosixFilePermissions(host("h"), PosixFilePermissions.fromString("r--r-----"));
        FileHandle file = fs.lookup(USER, shared, FileName.of("h")).handle();
        long server = ((Integer) Files.getAttribute(host("h"), "unix:uid")).longValue();

        assertThat(fs.attributes(file).uid()).isEqualTo(server);
        assertThat(fs.attributes(file).permissions()).isEqualTo(0440);

        fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, USER.uid(), null, null, null, null));

        assertThat(fs.attributes(file).uid()).isEqualTo(USER.uid());
        assertThat(fs.attributes(file).permissions()).isEqualTo(0440);
        assertThat((Integer) Files.getAttribute(host("h"), "unix:uid")).isEqualTo((int) server);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(host("h"))))
                .isEqualTo("rw-------");
    }

    /** Whoever owns a file on the host can give it any attribute there. */
    @Test
    void attributeOfAFileOfAnotherUserOfTheHost_isNotBelieved() throws Exception {
        assumeTrue(LocalBackend.IS_ROOT, "not root: files of other users cannot be made");
        FileHandle file = create(Caller.ROOT, "f", 04755);
        Files.setAttribute(host("f"), "unix:uid", 1234);

        assertThat(fs.attributes(file).uid()).isEqualTo(1234);
        assertThat(fs.attributes(file).permissions()).isEqualTo(0600);
        AttributeChanges given = new AttributeChanges(null, USER.uid(), null, null, null, null);
        assertFails(FsError.NOT_PERMITTED, () -> fs.setAttributes(Caller.ROOT, file, given));
    }

    /** Whoever may write to a file on the host can give it any user attribute there. */
    @Test
    void attributeOfAFileThatOthersOfTheHostMayWrite_isNotBelieved_andReplacedWhenAClientChangesTheFile()
            throws Exception {
        for (int mode : new int[] {0620, 0602, 0200}) {
            String name = "f" + mode;
            FileHandle file = create(OTHER, name, 04755);
            assertThat(fs.attributes(file).permissions()).isEqualTo(04755);
            Files.setAttribute(host(name), "unix:mode", mode);
            long server = ((Integer) Files.getAttribute(host(name), "unix:uid")).longValue();

            assertThat(fs.attributes(file).uid()).isEqualTo(server);
            assertThat(fs.attributes(file).permissions()).isEqualTo(mode);
            fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, USER.uid(), null, null, null, null));

            assertThat(fs.attributes(file).uid()).isEqualTo(USER.uid());
            assertThat(fs.attributes(file).permissions()).isEqualTo(mode);
            assertThat((Integer) Files.getAttribute(host(name), "unix:mode") & 07777)
                    .isEqualTo(0600);
        }
    }

    /** In a sticky directory, attributes are its owner's alone to set. */
    @Test
    void attributeOfADirectoryThatOthersOfTheHostMayWrite_isBelievedOnlyIfItIsSticky() throws Exception {
        FileHandle directory = fs.makeDirectory(USER, shared, FileName.of("open"), AttributeChanges.ofPermissions(0750))
                .handle();

        Files.setAttribute(host("open"), "unix:mode", 01777);
        assertThat(fs.attributes(directory).permissions()).isEqualTo(0750);

        Files.setAttribute(host("open"), "unix:mode", 0777);
        assertThat(fs.attributes(directory).permissions()).isEqualTo(0777);
    }

    @Test
    void removalOfADirectoryThatIsNotEmpty_leavesUnfinishedOnesAlone() throws Exception {
        Files.createDirectory(host(".warpnfs-new-0"));
        create(USER, "f", 0600);

        assertFails(FsError.NOT_EMPTY, () -> fs.removeDirectory(Caller.ROOT, fs.root(), FileName.of("d")));
        assertThat(host(".warpnfs-new-0")).exists();
    }

    @Test
    void write_bySomebodyElse_takesSetIdBitsAway() throws Exception {
        FileHandle file = create(USER, "f", 06777);
        try (OpenFile open = fs.open(OTHER, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(new byte[1]), 0, Stability.UNSTABLE);
        }
        assertThat(fs.attributes(file).permissions()).isEqualTo(0777);
    }

    /** The attribute may have to be read from a disk. */
    @Test
    void openFile_isAnsweredWithoutAWait_onlyOnceItsOwnerIsKnown() throws Exception {
        FileHandle file = create(USER, "f", 0640);
        try (OpenFile open = fs.open(USER, file, OpenAccess.READ_WRITE)) {
            assertThat(fs.tryAttributes(file)).isNull();
            assertThat(fs.tryOpen(USER, file, OpenAccess.READ)).isNull();

            fs.attributes(file);
            assertThat(fs.tryAttributes(file)).isNotNull();
            try (OpenFile quick = fs.tryOpen(USER, file, OpenAccess.READ)) {
                assertThat(quick).isNotNull();
                assertThat(quick.attributes().uid()).isEqualTo(USER.uid());
            }

            fs.setAttributes(USER, file, AttributeChanges.ofPermissions(0600));
            assertThat(fs.tryAttributes(file)).isNull();
            assertThat(open.attributes().permissions()).isEqualTo(0600);
        }
    }

    @Test
    void openFile_writtenAndChangedInTurn_isAlwaysAsItWasChangedLast() throws Exception {
        FileHandle file = create(USER, "f", 0640);
        try (OpenFile open = fs.open(USER, file, OpenAccess.READ_WRITE)) {
            for (int permissions = 0600; permissions < 0677; permissions++) {
                fs.setAttributes(USER, file, AttributeChanges.ofPermissions(permissions | 06000));
                open.write(ByteBuffer.wrap(new byte[1]), 0, Stability.UNSTABLE);
                int left = permissions | ((permissions & 010) == 0 ? 02000 : 0);
                assertThat(open.attributesAfterWrite(Set.of(FileAttribute.PERMISSIONS))
                                .permissions())
                        .isEqualTo(left);
                assertThat(fs.attributes(file).permissions()).isEqualTo(left);
            }
        }
    }

    @Test
    void unfinishedDirectory_isNotThereForClients_andKeepsNobodyFromRemovingItsParent() throws Exception {
        FileName hidden = FileName.of(".warpnfs-new-0");
        Files.createDirectory(host(".warpnfs-new-0"));
        List<DirectoryEntry> entries = new ArrayList<>();

        assertThat(fs.list(USER, shared, 0, true, entries::add)).isTrue();
        assertThat(entries).isEmpty();
        assertFails(FsError.NO_ENTRY, () -> fs.lookup(USER, shared, hidden));
        AttributeChanges open = AttributeChanges.ofPermissions(0777);
        FileHandle file = create(USER, "f", 0600);
        assertFails(FsError.ACCESS, () -> fs.makeDirectory(USER, shared, hidden, open));
        assertFails(FsError.ACCESS, () -> fs.create(USER, shared, hidden, new CreateMode.Unchecked(open)));
        assertFails(FsError.ACCESS, () -> fs.link(USER, file, shared, hidden));
        assertFails(FsError.ACCESS, () -> fs.rename(USER, shared, FileName.of("f"), shared, hidden));
        assertFails(FsError.NOT_EMPTY, () -> fs.removeDirectory(Caller.ROOT, fs.root(), FileName.of("d")));
        fs.remove(USER, shared, FileName.of("f"));

        fs.removeDirectory(Caller.ROOT, fs.root(), FileName.of("d"));
        assertThat(tree.resolve("d")).doesNotExist();
    }

    @Test
    void unfinishedName_inOtherCase_isTheServersToo_sinceADirectoryMayFoldCase() throws Exception {
        FileName folded = FileName.of(".Warpnfs-NEW-0");
        Files.createDirectory(host(".Warpnfs-NEW-0"));

        assertFails(FsError.NO_ENTRY, () -> fs.lookup(USER, shared, folded));
        assertFails(FsError.ACCESS, () -> fs.makeDirectory(USER, shared, folded, AttributeChanges.NONE));
    }

    @Test
    void unfinishedDirectory_isNoReasonNotToReplaceItsParent() throws Exception {
        FileName moved = FileName.of("m");
        fs.makeDirectory(USER, shared, moved, AttributeChanges.NONE);
        fs.makeDirectory(USER, shared, FileName.of("t"), AttributeChanges.NONE);
        Files.createDirectory(host("t").resolve(".warpnfs-new-0"));

        fs.rename(USER, shared, moved, shared, FileName.of("t"));

        assertThat(host("").toFile().list()).containsExactly("t");
        assertThat(host("t").toFile().list()).isEmpty();
    }

    @Test
    void replacedDirectory_thatIsNotEmpty_keepsWhatItHas() throws Exception {
        FileName moved = FileName.of("m");
        fs.makeDirectory(USER, shared, moved, AttributeChanges.NONE);
        Files.createDirectories(host("t").resolve(".warpnfs-new-0"));
        Files.writeString(host("t").resolve("f"), "text");

        assertFails(FsError.NOT_EMPTY, () -> fs.rename(Caller.ROOT, shared, moved, shared, FileName.of("t")));
        assertThat(host("t").toFile().list()).containsExactlyInAnyOrder("f", ".warpnfs-new-0");
    }

    @Test
    void emptyTree_begins_everyoneMayMakeFilesAndNobodyMayRemoveThoseOfOthers() throws Exception {
        AttributeChanges own = AttributeChanges.ofPermissions(0755);
        fs.makeDirectory(USER, fs.root(), FileName.of("u"), own);

        assertFails(FsError.NOT_PERMITTED, () -> fs.removeDirectory(OTHER, fs.root(), FileName.of("u")));
        fs.setAttributes(Caller.ROOT, fs.root(), own);
        fs.removeDirectory(Caller.ROOT, fs.root(), FileName.of("u"));
        fs.removeDirectory(Caller.ROOT, fs.root(), FileName.of("d"));
        fs.close();
        fs = start();
        assertThat(fs.attributes(fs.root()).permissions()).isEqualTo(0755);
    }

    @Test
    void treeWithFiles_begins_itsRootStaysAsTheHostShowsIt() throws Exception {
        Path other = Files.createDirectory(tree.resolve("other"));
        Files.writeString(other.resolve("h"), "text");
        int mode = (Integer) Files.getAttribute(other, "unix:mode") & 07777;
        try (LocalFileSystem there = LocalFileSystem.open(
                other, LocalOptions.DEFAULTS.withoutKernelHandles().withIdentity(LocalOptions.Identity.MAPPED))) {
            assertThat(there.attributes(there.root()).permissions()).isEqualTo(mode);
        }
        Files.delete(other.resolve("h"));
        Files.delete(other);
    }

    @Test
    void refusedCreate_leavesNothing() throws Exception {
        create(USER, "f", 0600);
        AttributeChanges open = AttributeChanges.ofPermissions(0777);
        FileName taken = FileName.of("f");

        assertFails(FsError.EXISTS, () -> create(OTHER, "f", 0600));
        assertFails(FsError.EXISTS, () -> fs.makeDirectory(OTHER, shared, taken, open));
        assertFails(FsError.EXISTS, () -> fs.makeSymlink(OTHER, shared, taken, new byte[] {'x'}, open));
        fs.setAttributes(Caller.ROOT, fs.root(), AttributeChanges.ofPermissions(0755));
        byte[] longName = "x".repeat(255).getBytes(StandardCharsets.UTF_8);
        assertFails(FsError.ACCESS, () -> fs.makeDirectory(OTHER, fs.root(), FileName.of(longName), open));

        assertThat(tree.toFile().list()).containsExactly("d");
        assertThat(host("").toFile().list()).containsExactly("f");
    }

    /** The root of a process with all rights makes them, so a file without its attribute would be root's. */
    @Test
    void newFiles_whileOthersLook_areNeverSeenWithAnotherOwner() throws Exception {
        Set<Long> owners = ConcurrentHashMap.newKeySet();
        Thread looking = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    fs.list(USER, shared, 0, true, entry -> {
                        if (entry.node() != null) {
                            owners.add(entry.node().attributes().uid());
                        }
                        return true;
                    });
                } catch (FsException e) {
                    throw new AssertionError(e);
                }
            }
        });
        for (int i = 0; i < 300; i++) {
            create(USER, "f" + i, 0600);
            fs.makeDirectory(USER, shared, FileName.of("s" + i), AttributeChanges.NONE);
            fs.removeDirectory(USER, shared, FileName.of("s" + i));
            fs.remove(USER, shared, FileName.of("f" + i));
        }
        looking.interrupt();
        looking.join();
        assertThat(owners).containsOnly(USER.uid());
    }
}
