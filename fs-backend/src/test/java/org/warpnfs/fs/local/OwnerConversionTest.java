package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.OwnerConversion.Result;
import org.warpnfs.fs.local.OwnerConversion.Way;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.XattrCalls;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Ownership;
import org.warpnfs.fs.spi.PosixAcl;

/** Trees that move from a server without privilege to the host's owners, and back. */
class OwnerConversionTest {
    private static final Caller USER = new Caller(1000, 1001, List.of());
    /** The user of the server; the tests themselves are another, root. */
    private static final int SERVER = 65_532;

    private static final PosixAcl LIST =
            new PosixAcl(7, new TreeMap<>(Map.of(1234L, 4)), 5, Collections.emptySortedMap(), 5, 0);

    private final List<String> said = new ArrayList<>();
    private Path tree;

    @BeforeEach
    void make() throws Exception {
        assumeTrue(LocalBackend.IS_ROOT, "only root converts owners");
        tree = Files.createTempDirectory(LocalBackend.TMPFS, "warpnfs-conversion");
    }

    @AfterEach
    void remove() throws Exception {
        if (tree != null) {
            TmpfsDirectory.remove(tree);
        }
    }

    private Result convert(Way way) throws Exception {
        return convert(way, false);
    }

    private Result convert(Way way, boolean makesPrivileged) throws Exception {
        return OwnerConversion.run(tree, new OwnerConversion.Wanted(way, SERVER, false, makesPrivileged), said::add);
    }

    /** A tree as a server without privilege leaves it, but for the user to whom it belongs. */
    private void fill() throws Exception {
        try (LocalFileSystem fs = LocalFileSystem.open(
                tree, LocalOptions.DEFAULTS.withoutKernelHandles().withIdentity(LocalOptions.Identity.MAPPED))) {
            FileHandle directory = fs.makeDirectory(USER, fs.root(), FileName.of("d"), mode(0750))
                    .handle();
            fs.setAttributes(USER, directory, mode(02750));
            FileHandle file = fs.create(USER, directory, FileName.of("f"), new CreateMode.Guarded(mode(0640)))
                    .node()
                    .handle();
            fs.setAcls(USER, file, new AclChanges(new Change.Replace(LIST), new Change.Keep()));
            fs.create(USER, directory, FileName.of("suid"), new CreateMode.Guarded(mode(04755)));
            byte[] target = "/etc/passwd".getBytes(StandardCharsets.UTF_8);
            fs.makeSymlink(USER, directory, FileName.of("l"), target, AttributeChanges.NONE);
            fs.makeSpecial(USER, directory, FileName.of("p"), FileType.FIFO, 0, 0, mode(0622));
            fs.makeSpecial(Caller.ROOT, directory, FileName.of("c"), FileType.CHARACTER_DEVICE, 1, 3, mode(0666));
        }
        Files.setLastModifiedTime(tree.resolve("d/l"), FileTime.from(Instant.ofEpochSecond(1_000_000_000)));
        belongToServer(tree);
    }

    private static AttributeChanges mode(int permissions) {
        return AttributeChanges.ofPermissions(permissions);
    }

    private static void belongToServer(Path top) throws Exception {
        try (var all = Files.walk(top)) {
            for (Path path : all.toList()) {
                Files.setAttribute(path, "unix:uid", SERVER, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    private Object of(String name, String attribute) throws Exception {
        return Files.getAttribute(tree.resolve(name), "unix:" + attribute, LinkOption.NOFOLLOW_LINKS);
    }

    private int permissions(String name) throws Exception {
        return (Integer) of(name, "mode") & 07777;
    }

    /** Whoever may write to a file can give it any user attribute. */
    @Test
    void export_attributeOfAFileThatOthersMayWrite_isNotBelieved() throws Exception {
        fill();
        Files.setAttribute(tree.resolve("d/suid"), "unix:mode", 0620);

        assertThat(convert(Way.EXPORT, true).failed()).isEqualTo(1);

        assertThat(said).singleElement().asString().contains("d/suid", "not believed");
        assertThat(of("d/suid", "uid")).isEqualTo(SERVER);
        assertThat(permissions("d/suid")).isEqualTo(0620);
    }

    @Test
    void export_givesFilesToTheirOwners_andAgainFindsNothingToDo() throws Exception {
        fill();
        Result result = convert(Way.EXPORT, true);

        assertThat(said).isEmpty();
        assertThat(result).isEqualTo(new Result(7, 0));
        assertThat(of("d", "uid")).isEqualTo(1000);
        assertThat(of("d/f", "gid")).isEqualTo(1001);
        assertThat(permissions("d")).isEqualTo(02750);
        assertThat(permissions("d/f")).isEqualTo(0750);
        assertThat(permissions("d/suid")).isEqualTo(04755);
        assertThat(permissions("d/p")).isEqualTo(0622);
        assertThat(of("d/c", "rdev")).isEqualTo(0x103L);
        assertThat(Files.readSymbolicLink(tree.resolve("d/l"))).isEqualTo(Path.of("/etc/passwd"));
        assertThat(of("d/l", "uid")).isEqualTo(1000);
        assertThat(Files.getLastModifiedTime(tree.resolve("d/l"), LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(FileTime.from(Instant.ofEpochSecond(1_000_000_000)));
        assertThat(attributes("d/f")).isEmpty();
        assertThat(convert(Way.EXPORT, true)).isEqualTo(new Result(0, 0));
    }

    private List<String> attributes(String name) throws Exception {
        return Files.getFileAttributeView(tree.resolve(name), UserDefinedFileAttributeView.class)
                .list();
    }

    @Test
    void importAfterExport_isTheTreeThatItWas() throws Exception {
        fill();
        convert(Way.EXPORT, true);
        Result result = convert(Way.IMPORT);

        assertThat(said).isEmpty();
        assertThat(result).isEqualTo(new Result(7, 0));
        assertThat(of("d/f", "uid")).isEqualTo(SERVER);
        assertThat(permissions("d/f")).isEqualTo(0600);
        assertThat(permissions("d")).isEqualTo(0700);
        assertThat(tree.resolve("d/l").toFile()).hasContent("/etc/passwd");
        assertThat(convert(Way.IMPORT)).isEqualTo(new Result(0, 0));
        try (var all = Files.walk(tree)) {
            for (Path path : all.toList()) {
                Files.setAttribute(path, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
            }
        }
        try (LocalFileSystem fs = LocalFileSystem.open(
                tree, LocalOptions.DEFAULTS.withoutKernelHandles().withIdentity(LocalOptions.Identity.MAPPED))) {
            FileHandle directory =
                    fs.lookup(Caller.ROOT, fs.root(), FileName.of("d")).handle();
            var file = fs.lookup(USER, directory, FileName.of("f"));
            assertThat(file.attributes().uid()).isEqualTo(1000);
            assertThat(fs.acls(file.handle()).access()).isEqualTo(LIST);
            assertThat(fs.lookup(USER, directory, FileName.of("c")).attributes().type())
                    .isEqualTo(FileType.CHARACTER_DEVICE);
            assertThat(fs.attributes(directory).permissions()).isEqualTo(02750);
        }
    }

    @Test
    void export_devicesAndSetIdFiles_onlyWhereAskedFor() throws Exception {
        fill();
        assertThat(convert(Way.EXPORT)).isEqualTo(new Result(5, 2));
        assertThat(said)
                .containsExactlyInAnyOrder(
                        tree + "/d/c: not permitted: a device, which was not asked for",
                        tree + "/d/suid: not permitted: a set-id file, which was not asked for");
        said.clear();

        assertThat(convert(Way.EXPORT, true)).isEqualTo(new Result(2, 0));
    }

    @Test
    void export_interruptedAfterTheOwnerWasSet_goesOn() throws Exception {
        fill();
        try (Fd file = OpenCalls.open(tree.resolve("d/f").toString().getBytes(StandardCharsets.UTF_8), 0)) {
            OwnerAttribute.read(file).write(file, "trusted.warpnfs.owner".getBytes(StandardCharsets.US_ASCII));
            XattrCalls.remove(file, OwnerAttribute.NAME_BYTES);
        }
        Files.setAttribute(tree.resolve("d/f"), "unix:uid", 1000);

        convert(Way.EXPORT, true);
        assertThat(said).isEmpty();
        assertThat(permissions("d/f")).isEqualTo(0750);
        assertThat(of("d/f", "gid")).isEqualTo(1001);
    }

    /** Its owner could have set the attribute, to become the owner of what it likes. */
    @Test
    void export_attributeOfAnotherUsersFile_isNotBelieved() throws Exception {
        fill();
        Files.setAttribute(tree.resolve("d/f"), "unix:uid", 4711);

        assertThat(convert(Way.EXPORT, true)).isEqualTo(new Result(6, 1));
        assertThat(said.getFirst()).contains("d/f: ").contains("not believed, since it belongs to user 4711");
        assertThat(of("d/f", "uid")).isEqualTo(4711);
    }

    @Test
    void conversion_followsNoLinks_andEntersNoOtherFileSystem() throws Exception {
        Mounts.assumePossible();
        Path outside = Files.createTempDirectory(LocalBackend.TMPFS, "warpnfs-outside");
        Files.writeString(outside.resolve("f"), "text");
        Path below = Files.createDirectory(tree.resolve("mounted"));
        Files.createSymbolicLink(tree.resolve("link"), outside);
        try (Mounts mounts = new Mounts()) {
            mounts.bind(outside, below);
            assertThat(convert(Way.IMPORT).failed()).isZero();
            assertThat(said).containsExactly(below + ": another file system is mounted here, which was left as it is");
        } finally {
            assertThat(Files.getAttribute(outside.resolve("f"), "unix:uid")).isEqualTo(0);
            TmpfsDirectory.remove(outside);
        }
        assertThat(tree.resolve("link")).isRegularFile();
    }

    @Test
    void import_attributeThatAUserForged_isReplacedByWhatTheHostSays() throws Exception {
        Path file = Files.writeString(tree.resolve("f"), "text");
        Files.setAttribute(file, "unix:uid", 1000);
        try (Fd open = OpenCalls.open(file.toString().getBytes(StandardCharsets.UTF_8), 0)) {
            OwnerAttribute.of(FileType.REGULAR, ownedByRoot(), 0, 0).write(open);
            convert(Way.IMPORT);
            assertThat(OwnerAttribute.read(open).uid()).isEqualTo(1000);
        }
        assertThat(file).hasContent("text");
    }

    private static Ownership ownedByRoot() {
        return new Ownership(06777, 0, 0, Acls.NONE);
    }
}
