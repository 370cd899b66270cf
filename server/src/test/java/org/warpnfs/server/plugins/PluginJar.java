package org.warpnfs.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.BackendProvider;

/** Makes jars of plug-ins, as their authors would: compiled against the SPI alone. */
public final class PluginJar {
    private static final String SERVICE = "META-INF/services/" + BackendProvider.class.getName();

    private PluginJar() {}

    /**
     * Compiles one class and puts it into a jar that names it as a provider.
     *
     * @param provider what the service file says; null for none
     */
    static Path compiled(Path jar, String className, String source, @Nullable String provider) throws IOException {
        Path classes = Files.createTempDirectory("warpnfs-plugin");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject text =
                new SimpleJavaFileObject(
                        URI.create("string:///" + className.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        String path = codeOf(BackendProvider.class) + ":" + codeOf(Nullable.class);
        boolean good = compiler.getTask(
                        null,
                        null,
                        null,
                        List.of("-d", classes.toString(), "-cp", path, "-proc:none"),
                        null,
                        List.of(text))
                .call();
        assertThat(good).as("the plug-in compiles").isTrue();
        return of(jar, classes, provider);
    }

    /** Returns the jar or the directory that a class was loaded from. */
    public static Path codeOf(Class<?> type) {
        return Path.of(URI.create(
                type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    /** Returns the jar of the example backends, as the module's build makes it. */
    public static Path ofExamples(Path jar, Class<?> example) throws IOException {
        Path code = codeOf(example);
        return Files.isDirectory(code) ? of(jar, code, null) : readable(Files.copy(code, jar));
    }

    /** Puts a directory of classes into a jar. */
    public static Path of(Path jar, Path classes, @Nullable String provider) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(classes)) {
            for (Path entry : all.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
            if (provider != null) {
                out.putNextEntry(new JarEntry(SERVICE));
                out.write((provider + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        return readable(jar);
    }

    /** A server in this process may have set the umask to 0. */
    static Path readable(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }
}
