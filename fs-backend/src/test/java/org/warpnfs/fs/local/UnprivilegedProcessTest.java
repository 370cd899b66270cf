package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.fs.local.ChildChecks.check;
import static org.warpnfs.fs.local.ChildChecks.fails;
import static org.warpnfs.fs.local.ShortCalls.newFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclEntry;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem.Permission;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.fs.spi.Stability;

/** The local backend in a process that really has no privilege: a JVM of its own, as user nobody. */
class UnprivilegedProcessTest {
    private static final int NOBODY = 65_534;
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    private Path base;

    @BeforeEach
    void prepare() throws IOException {
        Assumptions.assumeTrue(
                LocalBackend.IS_ROOT && Files.isExecutable(SETPRIV),
                "only root becomes nobody, by setpriv: without, the other tests of this module run unprivileged");
        base = TmpfsDirectory.make("warpnfs-nobody");
    }

    @AfterEach
    void clean() throws IOException {
        if (base != null) {
            TmpfsDirectory.remove(base);
        }
    }

    @Test
    void serve_asNobody_worksWithinItsRights() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        Files.setAttribute(tree, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        Files.setPosixFilePermissions(tree, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(tree.resolve("roots"), "secret");
        Files.setPosixFilePermissions(tree.resolve("roots"), PosixFilePermissions.fromString("rw-------"));
        Path state = Files.createDirectory(base.resolve("state"));
        Files.setAttribute(state, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        ChildJvm child = new ChildJvm(base);

        String said = child.run(
                List.of(SETPRIV.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
                AsNobody.class,
                tree.toString(),
                state.toString());

        assertThat(said).contains("ALL CHECKS PASSED");
        assertThat(Files.getAttribute(tree.resolve("made"), "unix:uid")).isEqualTo(NOBODY);
    }

    /** As Kubernetes makes a volume for a pod with fsGroup. */
    @Test
    void begin_treeOfRootThatItsGroupMayWrite_isOpenToEveryClient() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        Files.setAttribute(tree, "unix:gid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(tree, "unix:mode", 02775);

        String said = new ChildJvm(base)
                .run(
                        List.of(SETPRIV.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
                        InALentTree.class,
                        tree.toString());

        assertThat(said).contains("ALL CHECKS PASSED");
        assertThat((Integer) Files.getAttribute(tree, "unix:mode") & 07777).isEqualTo(02775);
    }

    /** Runs in the other JVM. */
    static final class InALentTree {
        private InALentTree() {}

        public static void main(String[] arguments) throws Exception {
            try (LocalFileSystem fs =
                    LocalFileSystem.open(Path.of(arguments[0]), LocalOptions.DEFAULTS.withoutKernelHandles())) {
                AttributeChanges own = AttributeChanges.ofPermissions(0755);
                fs.makeDirectory(new Caller(1000, 1000, List.of()), fs.root(), FileName.of("d"), own);
                fs.setAttributes(Caller.ROOT, fs.root(), own);
                check(fs.attributes(fs.root()).permissions() == 0755, "a client's root changes it");
            }
            System.out.println("ALL CHECKS PASSED");
        }
    }

    /** To open a file that forbids it to its owner, the server changes its permissions for a moment. */
    @Test
    void open_besideOthersAndAChangeOfPermissions_leavesThePermissionsThatWereSet() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        Files.setAttribute(tree, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);

        String said = new ChildJvm(base)
                .run(
                        List.of(SETPRIV.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
                        OpeningItsOwn.class,
                        tree.toString());

        assertThat(said).contains("ALL CHECKS PASSED");
    }

    @Test
    void make_processWithAUmask_cutsNothing() throws Exception {
        Path tree = Files.createDirectory(base.resolve("tree"));
        Path state = base.resolve("state");
        for (String privileged : List.of("true", "false")) {
            Path own = Files.createDirectory(tree.resolve(privileged));
            String said = new ChildJvm(Files.createDirectory(base.resolve("child-" + privileged)))
                    .run(
                            List.of("/bin/sh", "-c", "umask 077; exec \"$@\"", "sh"),
                            WithUmask.class,
                            own.toString(),
                            state.toString(),
                            privileged);
            assertThat(said).contains("ALL CHECKS PASSED");
        }
        try (Stream<Path> kept = Files.list(state)) {
            assertThat(kept).isNotEmpty().allSatisfy(path -> assertThat(
                            PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------"));
        }
    }

    /** Runs in the other JVM: makes files of each kind. */
    static final class WithUmask {
        private WithUmask() {}

        public static void main(String[] arguments) throws Exception {
            LocalOptions options = LocalOptions.DEFAULTS.withStateDirectory(Path.of(arguments[1]));
            boolean privileged = Boolean.parseBoolean(arguments[2]);
            AttributeChanges all = AttributeChanges.ofPermissions(0777);
            try (LocalFileSystem fs =
                    LocalFileSystem.open(Path.of(arguments[0]), privileged ? options : options.withoutPrivileges())) {
                FileHandle root = fs.root();
                int file = fs.create(Caller.ROOT, root, FileName.of("f"), new CreateMode.Guarded(all))
                        .node()
                        .attributes()
                        .permissions();
                int directory = fs.makeDirectory(Caller.ROOT, root, FileName.of("d"), all)
                        .attributes()
                        .permissions();
                int fifo = fs.makeSpecial(Caller.ROOT, root, FileName.of("p"), FileType.FIFO, 0, 0, all)
                        .attributes()
                        .permissions();
                check(file == 0777, "file " + file);
                check(directory == 0777, "directory " + directory);
                check(fifo == 0777, "fifo " + fifo);
            }
            System.out.println("ALL CHECKS PASSED");
        }
    }

    /** Runs in the other JVM: two trees of one directory open a file, while its permissions change. */
    static final class OpeningItsOwn {
        private static final int ROUNDS = 3000;

        private OpeningItsOwn() {}

        public static void main(String[] arguments) throws Exception {
            Path tree = Path.of(arguments[0]);
            LocalOptions options = LocalOptions.DEFAULTS.withMaxIdleFiles(0);
            FileName name = FileName.of("f");
            try (LocalFileSystem one = LocalFileSystem.open(tree, options);
                    LocalFileSystem other = LocalFileSystem.open(tree, options);
                    ExecutorService openers = Executors.newFixedThreadPool(2)) {
                FileHandle file = newFile(one, AsNobody.SELF, one.root(), "f", 0400);
                FileHandle same =
                        other.lookup(AsNobody.SELF, other.root(), name).handle();
                for (int round = 0; round < ROUNDS; round++) {
                    int wanted = round % 2 == 0 ? 0440 : 0400;
                    Future<?> first = openers.submit(() -> open(one, file));
                    Future<?> second = openers.submit(() -> open(other, same));
                    one.setAttributes(AsNobody.SELF, file, AttributeChanges.ofPermissions(wanted));
                    first.get();
                    second.get();
                    int left = one.attributes(file).permissions();
                    check(left == wanted, "round " + round + ": " + Integer.toOctalString(left) + " was not set");
                }
            }
            System.out.println("ALL CHECKS PASSED");
        }

        private static boolean open(LocalFileSystem fs, FileHandle file) throws FsException {
            fs.open(AsNobody.SELF, file, OpenAccess.WRITE).close();
            return true;
        }
    }

    /** Runs in the other JVM. Its exit status says whether all checks passed. */
    static final class AsNobody {
        private static final Caller SELF = new Caller(NOBODY, NOBODY, List.of());
        private static final Caller OTHER = new Caller(1000, 1000, List.of());

        private AsNobody() {}

        public static void main(String[] arguments) throws Exception {
            Path tree = Path.of(arguments[0]);
            LocalOptions options = LocalOptions.DEFAULTS.withStateDirectory(Path.of(arguments[1]));
            check(!LocalFileSystem.canActAsCallers(), "nobody acts as nobody else");
            check(LocalFileSystem.serversUser().equals(SELF), "files belong to nobody");
            try {
                LocalFileSystem.open(tree, options.withIdentity(LocalOptions.Identity.CALLER))
                        .close();
                check(false, "a server that was told to act as its callers, and cannot, does not start");
            } catch (IOException e) {
                check(String.valueOf(e.getMessage()).contains("start the server as root with CAP_SETUID"), "says why");
            }
            FileHandle made;
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                made = newFile(fs, SELF, fs.root(), "made", 0444);
                // the owner may open its file, whatever the permissions say
                try (OpenFile open = fs.open(SELF, made, OpenAccess.READ_WRITE)) {
                    open.write(ByteBuffer.wrap("text".getBytes(StandardCharsets.UTF_8)), 0, Stability.FILE_SYNC);
                }
                check(fs.attributes(made).permissions() == 0444, "permissions stay as they were");
                fails(FsError.ACCESS, () -> fs.open(OTHER, made, OpenAccess.WRITE));
                fs.open(OTHER, made, OpenAccess.READ).close();
                FileHandle roots =
                        fs.lookup(SELF, fs.root(), FileName.of("roots")).handle();
                fails(FsError.ACCESS, () -> fs.open(SELF, roots, OpenAccess.READ));
                // the server's own user has no right of a client's superuser
                fails(FsError.ACCESS, () -> fs.open(Caller.ROOT, roots, OpenAccess.READ));
                // but it may give away what the server made
                for (long owner : new long[] {OTHER.uid(), SELF.uid()}) {
                    AttributeChanges given = new AttributeChanges(null, owner, null, null, null, null);
                    check(fs.setAttributes(Caller.ROOT, made, given).uid() == owner, "the owner is " + owner);
                }
                check(
                        fs.permissions(OTHER, fs.root(), EnumSet.allOf(Permission.class))
                                .equals(EnumSet.of(Permission.READ, Permission.EXECUTE)),
                        "others read and search the root");
                fails(FsError.ACCESS, () -> fs.remove(OTHER, fs.root(), FileName.of("made")));
                if (fs.limits().has(Capability.ACLS)) {
                    accessControlLists(fs, made, roots);
                }
            }
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                check(fs.attributes(made).sizeBytes() == 4, "the handle outlives a restart");
            }
            System.out.println("ALL CHECKS PASSED");
        }

        private static void accessControlLists(LocalFileSystem fs, FileHandle made, FileHandle roots) throws Exception {
            PosixAcl acl = PosixAcl.of(List.of(
                    new AclEntry.UserObj(4),
                    new AclEntry.User(OTHER.uid(), 6),
                    new AclEntry.GroupObj(0),
                    new AclEntry.Mask(6),
                    new AclEntry.Other(0)));
            fails(FsError.NOT_PERMITTED, () -> fs.setAcls(OTHER, made, AclChanges.ofAccess(acl)));
            fails(FsError.NOT_PERMITTED, () -> fs.setAcls(SELF, roots, AclChanges.ofAccess(acl)));
            fails(FsError.NOT_PERMITTED, () -> fs.setAcls(Caller.ROOT, roots, AclChanges.ofAccess(acl)));
            check(fs.setAcls(SELF, made, AclChanges.ofAccess(acl)).permissions() == 0460, "the mask is the group's");
            check(acl.equals(fs.acls(made).access()), "the list is read back");
            fs.open(OTHER, made, OpenAccess.WRITE).close();
            // The owner is the server's user: the file gets the missing permissions while it is opened, and keeps its
            // list.
            fs.open(SELF, made, OpenAccess.READ_WRITE).close();
            check(acl.equals(fs.acls(made).access()), "the list is as it was");
            fs.setAcls(SELF, made, AclChanges.ofAccess(PosixAcl.ofPermissions(0444)));
            fails(FsError.ACCESS, () -> fs.open(OTHER, made, OpenAccess.WRITE));
        }
    }
}
