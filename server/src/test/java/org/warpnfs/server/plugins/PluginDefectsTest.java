package org.warpnfs.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.BackendProvider;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.Place;
import org.warpnfs.server.config.PluginChoice;

/**
 * What a plug-in may do wrong beyond exceptions: promises broken, threads marked, ends that do not come, jars that lead
 * astray.
 */
@Timeout(120)
class PluginDefectsTest {
    private static final FileHandle FILE = FileHandle.of(new byte[] {1});

    @TempDir
    private Path directory;

    @BeforeEach
    void isPrivate() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    // Calls

    /** Answers one method of a file system or of its open files. */
    private interface Answer {
        Object to(Object... arguments) throws Throwable;
    }

    private static <T> T with(Class<T> type, String name, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                PluginDefectsTest.class.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        return answer.to(arguments);
                    }
                    return method.getName().equals("open") ? with(OpenFile.class, name, answer) : null;
                }));
    }

    private static FileSystem files(String name, Answer answer) {
        return GuardedCalls.of(with(FileSystem.class, name, answer), "defective", Duration.ofMillis(1));
    }

    private static OpenFile open(String name, Answer answer) throws FsException {
        return files(name, answer).open(Caller.ROOT, FILE, OpenAccess.READ_WRITE);
    }

    private interface Call {
        Object run() throws Exception;
    }

    private static void assertIsDefect(Call call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(FsException.class, e -> assertThat(e.error())
                .isEqualTo(FsError.IO));
    }

    /** A buffer of the pool has data of other clients. */
    @Test
    void read_thatClaimsMoreThanItFilled_showsNothing() throws Exception {
        ByteBuffer sink = ByteBuffer.allocate(100);
        assertIsDefect(() -> open("read", _ -> 50).read(sink, 0));
        assertIsDefect(() -> open("read", _ -> -1).read(sink, 0));
        assertIsDefect(() -> open("read", arguments -> {
                    ((ByteBuffer) arguments[0]).limit(10);
                    return 0;
                })
                .read(sink, 0));
        OpenFile right = open("read", arguments -> {
            ((ByteBuffer) arguments[0]).put(new byte[30]);
            return 30;
        });
        assertThat(right.read(sink.clear(), 0)).isEqualTo(30);
    }

    @Test
    void write_thatLeavesBytesOrIsNotStable_isNotAcknowledged() throws Exception {
        assertIsDefect(
                () -> open("write", _ -> Stability.FILE_SYNC).write(ByteBuffer.allocate(1), 0, Stability.UNSTABLE));
        assertIsDefect(
                () -> open("write", _ -> Stability.UNSTABLE).write(ByteBuffer.allocate(0), 0, Stability.FILE_SYNC));
        assertThat(open("write", _ -> Stability.FILE_SYNC).write(ByteBuffer.allocate(0), 0, Stability.UNSTABLE))
                .isEqualTo(Stability.FILE_SYNC);
    }

    private static Optional<LentPages> lent(ByteBuffer... buffers) {
        return Optional.of(with(LentPages.class, "buffers", _ -> List.of(buffers)));
    }

    /** A socket sends them from where they lie, and the length was announced before. */
    @Test
    void lend_ofTooMuchNothingOrHeap_isRefused() throws Exception {
        ByteBuffer direct = ByteBuffer.allocateDirect(100);
        assertIsDefect(() -> open("lend", _ -> lent(direct)).lend(0, 99));
        assertIsDefect(() -> open("lend", _ -> lent()).lend(0, 99));
        assertIsDefect(() -> open("lend", _ -> lent(ByteBuffer.allocate(10))).lend(0, 99));
        try (LentPages right = open("lend", _ -> lent(direct)).lend(0, 100).orElseThrow()) {
            assertThat(right.buffers()).containsExactly(direct);
        }
        assertThat(open("lend", _ -> Optional.empty()).lend(0, 100)).isEmpty();
    }

    @Test
    void locksAndLeases_thatThrow_endTheCallAlone() throws Exception {
        OwnerLocks broken = with(OwnerLocks.class, "tryLock", _ -> {
            throw new IllegalStateException("a defect");
        });
        OwnerLocks locks = files("openLocks", _ -> broken).openLocks(FILE, OpenAccess.READ_WRITE);
        assertIsDefect(() -> locks.tryLock(true, 0, 9));
        assertIsDefect(() -> locks.test(true, 0, 9));
        locks.unlock(0, 9);
        Lease unclosable = with(Lease.class, "close", _ -> {
            throw new IllegalStateException("a defect");
        });
        Optional<Lease> lease = files("lease", _ -> Optional.of(unclosable)).lease(FILE, Lease.Kind.READ, () -> {});
        lease.orElseThrow().close();
        assertThat(files("lease", _ -> Optional.empty()).lease(FILE, Lease.Kind.READ, () -> {}))
                .isEmpty();
    }

    @Test
    void copy_ofMoreThanWasAsked_isADefect() throws Exception {
        OpenFile file = open("copyTo", _ -> 11L);
        assertIsDefect(() -> file.copyTo(0, file, 100, 10));
    }

    /** Ranges are used on event loops. */
    @Test
    void range_ofAPlugin_isNotTaken() throws Exception {
        CachedRange range = with(CachedRange.class, "close", _ -> null);
        assertThat(open("range", _ -> Optional.of(range)).range(0, 1)).isEmpty();
    }

    @Test
    void calls_thatMustNotWait_areNotPassedToAPlugin() throws Exception {
        Answer waits = _ -> {
            throw new AssertionError("called");
        };
        assertThat(files("tryOpen", waits).tryOpen(Caller.ROOT, FILE, OpenAccess.READ))
                .isNull();
        assertThat(files("tryAttributes", waits).tryAttributes(FILE)).isNull();
        assertThat(open("tryRead", waits).tryRead(ByteBuffer.allocate(1), 0)).isEqualTo(OpenFile.WOULD_WAIT);
    }

    /** The server's next use of a FileChannel on that thread would close it. */
    @Test
    void interrupt_thatACallLeavesBehind_isGone() {
        FileSystem files = files("limits", _ -> {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted");
        });
        assertThatThrownBy(files::limits).isInstanceOf(IllegalStateException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void exception_thatIsNotDeclared_isADefect() {
        FileSystem files = files("limits", _ -> {
            throw FsException.of(FsError.IO);
        });
        assertThatThrownBy(files::limits)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a defect of the backend defective");
    }

    @Test
    void close_thatDoesNotEnd_isNotWaitedForForEver() {
        CountDownLatch never = new CountDownLatch(1);
        files("close", _ -> {
                    never.await();
                    return null;
                })
                .close();
        never.countDown();
    }

    // Providers

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable e) throws E {
        throw (E) e;
    }

    /** A provider whose open throws. */
    private record Throwing(Throwable fault) implements BackendProvider {
        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public String about() {
            return "Throws.";
        }

        @Override
        public List<BackendOption> options() {
            return List.of();
        }

        @Override
        public FileSystem open(String source, Map<String, String> options, BackendEnvironment environment) {
            PluginDefectsTest.<RuntimeException>sneak(fault);
            throw new AssertionError();
        }
    }

    @Test
    void open_throwsWhatNobodyDeclared_isAMistakeWithItsPlace() throws Exception {
        for (Throwable fault : List.of(new Error("an error"), new IOException("an exception"))) {
            FoundBackend found =
                    new FoundBackend("throwing", "Throws.", List.of(), new Throwing(fault), Path.of("t.jar"));
            ChosenBackend chosen =
                    ChosenBackend.of(found, new PluginChoice("throwing", "--backend", directory, List.of()));
            assertThatThrownBy(() -> chosen.open(new Place("--export /x:/", 0), "/x", directory))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("--export /x:/: backend throwing (t.jar) failed: " + fault);
        }
    }

    private static final String PROVIDER = """
            package example;

            import java.util.List;
            import java.util.Map;
            import org.warpnfs.fs.spi.*;

            public final class P implements BackendProvider {
                public String name() {
                    throw new Error("no name");
                }

                public String about() {
                    return "";
                }

                public List<BackendOption> options() {
                    return List.of();
                }

                public FileSystem open(String source, Map<String, String> options, BackendEnvironment environment) {
                    return null;
                }
            }
            """;

    @Test
    void provider_throwsAnError_isAMistakeOfItsJarAlone() throws Exception {
        Path jar = PluginJar.compiled(directory.resolve("a.jar"), "example.P", PROVIDER, "example.P");
        PluginJar.compiled(
                directory.resolve("b.jar"),
                "example.P",
                PROVIDER.replace("throw new Error(\"no name\");", "return \"good\";"),
                "example.P");
        Plugins plugins = Plugins.load(directory);
        assertThat(plugins.mistakes()).containsExactly(jar + ": cannot be loaded: java.lang.Error: no name");
        assertThat(plugins.backends()).containsOnlyKeys("good");
    }

    // Files

    @Test
    void manifest_namesAJarThatIsNotChecked_isRefused() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(elsewhere.resolve("other.class"), "what everyone may write");
        Path plugins = Files.createDirectory(directory.resolve("plugins"));
        Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "missing.jar a.jar ../elsewhere/");
        Path jar = plugins.resolve("a.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        PluginJar.readable(jar);
        assertThat(Plugins.load(plugins).mistakes())
                .containsExactly(jar + ": its manifest's Class-Path names ../elsewhere/, which is no jar of this"
                        + " plug-in: put all its jars into a directory of their own");
    }

    @Test
    void directory_belowOneThatEveryUserMayWrite_isRefused() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Path plugins = Files.createDirectory(open.resolve("plugins"));
        Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(Plugins.load(plugins).mistakes())
                .containsExactly(open + ": every user may write it, and so become the server; chmod o-w " + open);
        // As in /tmp, nobody can replace what belongs to others.
        Files.setAttribute(open, "unix:mode", 01777);
        assertThat(Plugins.load(plugins).mistakes()).isEmpty();
    }

    @Test
    void jar_ofAnotherUser_isRefused() throws Exception {
        Path jar = PluginJar.readable(Files.writeString(directory.resolve("a.jar"), "a jar"));
        assumeTrue((int) Files.getAttribute(jar, "unix:uid") == 0, "only the superuser can give a file away");
        Files.setAttribute(jar, "unix:uid", 4711);
        assertThat(Plugins.load(directory).mistakes())
                .containsExactly(jar + ": user 4711 may write it, and so become the server; chown root " + jar);
    }
}
