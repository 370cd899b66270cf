package org.warpnfs.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.Place;
import org.warpnfs.server.config.PluginChoice;
import org.warpnfs.server.config.PluginChoice.Option;

/** Plug-ins that are found, chosen and opened, and every way in which they cannot be. */
class PluginsTest {
    private static final Place EXPORT = new Place("--export /x:/", 0);

    /** A backend with two options. Its methods throw whatever the option {@code fault} says. */
    private static final String FAULTY = """
            package example;

            import java.lang.reflect.Proxy;
            import java.util.List;
            import java.util.Map;
            import org.warpnfs.fs.spi.*;

            public final class Faulty implements BackendProvider {
                public String name() {
                    return "faulty";
                }

                public String about() {
                    return "Throws.";
                }

                public List<BackendOption> options() {
                    return List.of(
                            BackendOption.of("fault", "What is thrown.", "none"),
                            BackendOption.required("size", "A number."));
                }

                public FileSystem open(String source, Map<String, String> options, BackendEnvironment environment)
                        throws BackendException {
                    switch (options.get("fault")) {
                        case "refusal" -> throw BackendException.ofSource(source + ": is no tape");
                        case "option" -> throw BackendException.ofOption("fault", "is not a fault");
                        case "defect" -> throw new IllegalStateException("the tape tore");
                        case "null" -> {
                            return null;
                        }
                        default -> {}
                    }
                    return (FileSystem) of(FileSystem.class, options.get("fault"));
                }

                private static Object of(Class<?> type, String fault) {
                    return Proxy.newProxyInstance(Faulty.class.getClassLoader(), new Class<?>[] {type}, (_, method, _) ->
                            switch (method.getName()) {
                                case "open" -> of(OpenFile.class, fault);
                                case "lookup" -> throw FsException.of(FsError.NO_ENTRY);
                                case "writeVerifier" -> throw new IllegalStateException("no verifier");
                                case "readSymlink" -> null;
                                default -> switch (fault) {
                                    case "recursion" -> of(type, fault).toString().length() > endless();
                                    case "wrapped" -> throw new InternalError(new StackOverflowError());
                                    case "memory" -> throw new OutOfMemoryError("of a test");
                                    case "missing" -> throw new NoClassDefFoundError("example/Missing");
                                    default -> throw new ArrayIndexOutOfBoundsException(fault);
                                };
                            });
                }

                private static int endless() {
                    return endless() + 1;
                }
            }
            """;

    @TempDir
    private Path directory;

    @BeforeEach
    void isPrivate() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Path faulty(String jar) throws Exception {
        return PluginJar.compiled(directory.resolve(jar), "example.Faulty", FAULTY, "example.Faulty");
    }

    private static Option option(String text) throws ConfigException {
        return Option.parse("w.yaml:3:5: backendOption", text);
    }

    private PluginChoice choice(String name, String... options) throws ConfigException {
        List<Option> parsed = new java.util.ArrayList<>();
        for (String option : options) {
            parsed.add(option(option));
        }
        return new PluginChoice(name, "w.yaml:1:1: backend", directory, parsed);
    }

    private FileSystem open(String fault) throws Exception {
        faulty("faulty.jar");
        return Plugins.chosen(choice("faulty", "size=1", "fault=" + fault)).open(EXPORT, "/x", directory);
    }

    @Test
    void directory_ofPlugins_listsThemWithTheirOptions() throws Exception {
        Files.writeString(directory.resolve("README"), "not a plug-in");
        Path jars = Files.createDirectory(directory.resolve("faulty"));
        Files.setPosixFilePermissions(jars, PosixFilePermissions.fromString("rwxr-xr-x"));
        PluginJar.compiled(jars.resolve("a.jar"), "example.Other", "package example; class Other {}", null);
        PluginJar.compiled(jars.resolve("b.jar"), "example.Faulty", FAULTY, "example.Faulty");
        Plugins plugins = Plugins.load(directory);
        assertThat(plugins.mistakes()).isEmpty();
        assertThat(plugins.backends().get("faulty").line())
                .isEqualTo("faulty: Throws. (" + jars + "); fault: What is thrown. (default none); "
                        + "size: A number. (required)");
    }

    @Test
    void plugin_findsTheSpiAndTheJdk_butNothingOfTheServer() throws Exception {
        faulty("faulty.jar");
        ClassLoader classes = Plugins.load(directory)
                .backends()
                .get("faulty")
                .provider()
                .getClass()
                .getClassLoader();
        assertThat(classes.loadClass(FileSystem.class.getName())).isSameAs(FileSystem.class);
        assertThat(classes.loadClass("org.slf4j.Logger")).isSameAs(org.slf4j.Logger.class);
        assertThat(classes.loadClass("java.sql.Driver")).isNotNull();
        for (String hidden : List.of(
                "org.warpnfs.server.WarpServer",
                "org.warpnfs.fs.memory.MemoryFileSystem",
                "com.google.common.base.Splitter",
                "io.netty.buffer.ByteBuf")) {
            assertThatThrownBy(() -> classes.loadClass(hidden)).isInstanceOf(ClassNotFoundException.class);
        }
    }

    @Test
    void jar_thatCannotBeLoaded_isNamedWithTheReason() throws Exception {
        PluginJar.readable(Files.writeString(directory.resolve("a.jar"), "not a jar"));
        PluginJar.compiled(directory.resolve("b.jar"), "example.B", "package example; public class B {}", null);
        PluginJar.compiled(directory.resolve("c.jar"), "example.C", "package example; public class C {}", "example.D");
        PluginJar.compiled(directory.resolve("d.jar"), "example.D", "package example; public class D {}", "example.D");
        PluginJar.compiled(
                directory.resolve("e.jar"),
                "example.E",
                FAULTY.replace("Faulty", "E").replace("\"faulty\"", "System.getenv(\"none\").trim()"),
                "example.E");
        PluginJar.compiled(
                directory.resolve("f.jar"),
                "example.F",
                FAULTY.replace("Faulty", "F").replace("\"faulty\"", "\"local\""),
                "example.F");
        List<String> mistakes = Plugins.load(directory).mistakes();
        assertThat(mistakes).hasSize(6);
        assertThat(mistakes.get(0)).startsWith(directory + "/a.jar: is not a jar: ");
        assertThat(mistakes.get(1)).startsWith(directory + "/b.jar: has no backend: META-INF/services/");
        assertThat(mistakes.get(2))
                .startsWith(directory + "/c.jar: cannot be loaded: ")
                .contains("example.D not found");
        assertThat(mistakes.get(3))
                .startsWith(directory + "/d.jar: cannot be loaded: ")
                .contains("not a subtype");
        assertThat(mistakes.get(4))
                .startsWith(directory + "/e.jar: cannot be loaded: ")
                .contains("NullPointer");
        assertThat(mistakes.get(5)).startsWith(directory + "/f.jar: example.F: cannot be named 'local': ");
    }

    @Test
    void twoBackends_ofOneName_areRefused() throws Exception {
        faulty("a.jar");
        faulty("b.jar");
        assertThatThrownBy(() -> Plugins.chosen(choice("faulty", "size=1")))
                .hasMessage(directory + "/b.jar: has a backend named faulty, and so has " + directory + "/a.jar");
    }

    @Test
    void file_thatEveryUserMayWrite_isNotLoaded() throws Exception {
        Path jar = faulty("faulty.jar");
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(Plugins.load(directory).mistakes())
                .containsExactly(jar + ": every user may write it, and so become the server; chmod o-w " + jar);
    }

    @Test
    void backend_thatIsMissing_saysWhichThereAre() throws Exception {
        faulty("faulty.jar");
        assertThatThrownBy(() -> Plugins.chosen(choice("fualty")))
                .hasMessage("w.yaml:1:1: backend fualty: there is no such backend; did you mean 'faulty'?; built in "
                        + "are local, memory, ceph; in " + directory + " are faulty");
        assertThatThrownBy(() -> Plugins.chosen(new PluginChoice("tape", "--backend", null, List.of())))
                .hasMessage(
                        "--backend tape: there is no such backend; built in are local, memory, ceph; no plug-ins were "
                                + "searched, because plugins (--plugins) names no directory");
        Path none = directory.resolve("none");
        assertThatThrownBy(() -> Plugins.chosen(new PluginChoice("tape", "--backend", none, List.of())))
                .isInstanceOfSatisfying(ConfigException.class, e -> assertThat(e.mistakes())
                        .containsExactly(
                                none + ": there is no such file or directory",
                                "--backend tape: there is no such backend; built in are local, memory, ceph; in " + none
                                        + " are none"));
    }

    @Test
    void options_unknownOrMissing_areNamedWithTheirPlaces() throws Exception {
        faulty("faulty.jar");
        assertThatThrownBy(() -> Plugins.chosen(choice("faulty", "falt=x")))
                .isInstanceOfSatisfying(ConfigException.class, e -> assertThat(e.mistakes())
                        .containsExactly(
                                "w.yaml:1:1: backend faulty: backendOption size is missing: A number.",
                                "w.yaml:3:5: backendOption falt=x: the backend faulty has no option 'falt'; did you "
                                        + "mean 'fault'?"));
        assertThatThrownBy(() -> option("=x")).hasMessage("w.yaml:3:5: backendOption =x: is not KEY=VALUE");
    }

    @Test
    void open_thatFails_isAMistakeWithItsPlace() {
        assertThatThrownBy(() -> open("refusal"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--export /x:/: backend faulty: /x: is no tape");
        assertThatThrownBy(() -> open("option"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("w.yaml:3:5: backendOption fault=option: backend faulty: is not a fault");
        assertThatThrownBy(() -> open("defect"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("--export /x:/: backend faulty (" + directory
                        + "/faulty.jar) failed: java.lang.IllegalStateException: the tape tore");
        assertThatThrownBy(() -> open("null"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("no file system");
    }

    @Test
    void call_thatHitsADefect_failsAlone() throws Exception {
        for (String fault : List.of("index", "missing", "recursion", "wrapped")) {
            FileSystem files = open(fault);
            FileHandle file = FileHandle.of(new byte[] {1});
            assertFails(FsError.IO, () -> files.attributes(file));
            assertFails(FsError.IO, () -> files.readSymlink(Caller.ROOT, file));
            assertFails(FsError.NO_ENTRY, () -> files.lookup(Caller.ROOT, file, FileName.of("x")));
            OpenFile open = files.open(Caller.ROOT, file, OpenAccess.READ);
            assertFails(FsError.IO, () -> open.read(ByteBuffer.allocate(1), 0));
            open.close();
            assertThatThrownBy(files::writeVerifier).isInstanceOf(IllegalStateException.class);
            files.close();
        }
    }

    @Test
    void call_thatFindsNoMemory_isNoDefectOfThePlugin() throws Exception {
        try (FileSystem files = open("memory")) {
            assertThatThrownBy(() -> files.attributes(FileHandle.of(new byte[] {1})))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }

    private interface Call {
        void run() throws FsException;
    }

    private static void assertFails(FsError expected, Call call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(FsException.class, e -> assertThat(e.error())
                .isEqualTo(expected));
    }
}
