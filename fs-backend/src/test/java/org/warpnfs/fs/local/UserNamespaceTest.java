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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * The local backend where root lacks root's power: in user namespaces, in a container without capabilities, and with
 * capabilities that a change of user does not take away. Each runs in a JVM of its own.
 */
class UserNamespaceTest {
    private static final Path UNSHARE = Path.of("/usr/bin/unshare");
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    /** The user that starts the server, and the first of its subordinate ids. */
    private static final int STARTER = 4000;

    private static final int SUBORDINATE = 200_000;

    private Path base;
    private Path tree;
    private Path state;

    @BeforeEach
    void prepare() throws Exception {
        Assumptions.assumeTrue(
                LocalBackend.IS_ROOT && Files.isExecutable(SETPRIV) && Files.isExecutable(UNSHARE),
                "only root becomes others and maps users");
        base = TmpfsDirectory.make("warpnfs-userns");
        tree = Files.createDirectory(base.resolve("tree"));
        state = Files.createDirectory(base.resolve("state"));
        for (Path path : List.of(tree, state)) {
            Files.setAttribute(path, "unix:uid", STARTER, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", STARTER, LinkOption.NOFOLLOW_LINKS);
        }
        Path foreign = Files.writeString(tree.resolve("foreign"), "secret");
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void clean() throws IOException {
        if (base != null) {
            TmpfsDirectory.remove(base);
        }
    }

    private static List<String> asStarter(String... command) {
        List<String> all = new ArrayList<>(
                List.of(SETPRIV.toString(), "--reuid=" + STARTER, "--regid=" + STARTER, "--clear-groups"));
        all.addAll(List.of(command));
        return all;
    }

    @Test
    void serve_namespaceOfOneUser_judgesByItselfAndSaysSo() throws Exception {
        String said = new ChildJvm(base)
                .run(asStarter(UNSHARE.toString(), "-Urm"), Main.class, tree.toString(), state.toString());

        assertThat(said)
                .contains("ALL CHECKS PASSED")
                .contains("this user namespace has no other users or groups")
                .contains("owners and permissions are kept in the extended attribute user.warpnfs.owner");
        assertThat(Files.getAttribute(tree.resolve("made"), "unix:uid")).isEqualTo(STARTER);
    }

    @Test
    void serve_namespaceWithARangeOfUsers_makesCallsAsTheCaller() throws Exception {
        String said = new ChildJvm(base)
                .run(
                        asStarter(
                                UNSHARE.toString(),
                                "-U",
                                "sh",
                                "-c",
                                "read line; exec setpriv --reuid=0 --regid=0 --clear-groups \"$@\"",
                                "sh"),
                        process -> {
                            awaitNamespace(process);
                            map(process, "uid_map");
                            map(process, "gid_map");
                        },
                        Main.class,
                        tree.toString(),
                        state.toString());

        assertThat(said)
                .contains("ALL CHECKS PASSED")
                .contains("calls are made in the caller's identity")
                .contains("callers of user ids other than [0 to 0, 1 to 9999] get ACCESS");
        assertThat(Files.getAttribute(tree.resolve("made"), "unix:uid")).isEqualTo(SUBORDINATE + 1000 - 1);
    }

    @Test
    void serve_rootWithoutCapabilities_judgesByItselfAndSaysSo() throws Exception {
        Files.setAttribute(tree, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(state, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(tree.resolve("foreign"), "unix:uid", STARTER, LinkOption.NOFOLLOW_LINKS);

        String said = new ChildJvm(base)
                .run(
                        List.of(SETPRIV.toString(), "--bounding-set=-all", "--inh-caps=-all"),
                        Main.class,
                        tree.toString(),
                        state.toString());

        assertThat(said)
                .contains("ALL CHECKS PASSED")
                .contains("the process is not root with CAP_SETUID and CAP_SETGID");
    }

    @Test
    void start_changeOfUserLeavesCapabilities_isRefused() throws Exception {
        String said = new ChildJvm(base)
                .run(
                        List.of(SETPRIV.toString(), "--securebits=+no_setuid_fixup"),
                        Refused.class,
                        tree.toString(),
                        "SECBIT_NO_SETUID_FIXUP is set");
        assertThat(said).contains("REFUSED AS IT SHOULD");
    }

    /** Waits until the process is in a user namespace of its own. */
    private static void awaitNamespace(Process process) throws Exception {
        Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/user"));
        while (Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/ns/user"))
                .equals(own)) {
            assertThat(process.isAlive()).isTrue();
            Thread.sleep(10);
        }
    }

    private static void map(Process process, String name) throws IOException {
        Files.writeString(
                Path.of("/proc/" + process.pid() + "/" + name), "0 %d 1\n1 %d 9999\n".formatted(STARTER, SUBORDINATE));
    }

    /** A server that must not start. */
    static final class Refused {
        private Refused() {}

        public static void main(String[] arguments) throws Exception {
            try (LocalFileSystem fs = LocalFileSystem.open(Path.of(arguments[0]), LocalOptions.DEFAULTS)) {
                throw new AssertionError("served " + fs.root());
            } catch (IOException e) {
                check(e.getMessage().contains(arguments[1]), e.getMessage());
            }
            System.out.println("REFUSED AS IT SHOULD");
        }
    }

    /** Checks that have to pass everywhere. The exit status says whether they did. */
    static final class Main {
        private static final Caller OWNER = new Caller(1000, 1000, List.of(2000L));
        private static final Caller OTHER = new Caller(1001, 1001, List.of());
        /** The user that root is squashed to, and that files of unknown users seem to belong to. */
        private static final Caller NOBODY = new Caller(65_534, 65_534, List.of());

        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Path tree = Path.of(arguments[0]);
            LocalOptions options = LocalOptions.DEFAULTS.withStateDirectory(Path.of(arguments[1]));
            FileHandle made;
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                FileHandle shared = fs.makeDirectory(
                                Caller.ROOT, fs.root(), FileName.of("shared"), AttributeChanges.ofPermissions(0777))
                        .handle();
                made = newFile(fs, OWNER, shared, "made", 0640);
                FileAttributes attributes = fs.attributes(made);
                check(attributes.uid() == OWNER.uid(), "made belongs to " + attributes.uid());
                check(attributes.permissions() == 0640, "permissions " + attributes.permissions());
                fails(FsError.ACCESS, () -> fs.open(OTHER, made(fs, shared), OpenAccess.READ));
                try (OpenFile open = fs.open(OWNER, made, OpenAccess.READ_WRITE)) {
                    open.write(ByteBuffer.wrap("text".getBytes(StandardCharsets.UTF_8)), 0, Stability.FILE_SYNC);
                }
                FileHandle foreign = fs.lookup(Caller.ROOT, fs.root(), FileName.of("foreign"))
                        .handle();
                for (Caller caller : List.of(OWNER, OTHER, NOBODY, Caller.ROOT)) {
                    fails(FsError.ACCESS, () -> fs.open(caller, foreign, OpenAccess.READ));
                }
                List<DirectoryEntry> entries = new ArrayList<>();
                fs.list(OTHER, shared, 0, true, entries::add);
                check(entries.size() == 1 && entries.getFirst().node() != null, "the listing " + entries);
                check(fs.lookupParent(OTHER, shared).handle().equals(fs.root()), "the parent");
                fs.rename(Caller.ROOT, shared, FileName.of("made"), fs.root(), FileName.of("made"));
                newFile(fs, OTHER, shared, "gone", 0600);
                fs.remove(OTHER, shared, FileName.of("gone"));
            }
            try (LocalFileSystem fs = LocalFileSystem.open(tree, options)) {
                check(fs.attributes(made).sizeBytes() == 4, "the handle outlives a restart");
            }
            System.out.println("ALL CHECKS PASSED");
        }

        private static FileHandle made(LocalFileSystem fs, FileHandle directory) throws FsException {
            return fs.lookup(OTHER, directory, FileName.of("made")).handle();
        }
    }
}
