package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs a main class of this module's tests in a JVM of its own, under other privileges. */
final class ChildJvm {
    private static final int LIMIT_SECONDS = 180;

    private final Path base;
    private final String classPath;

    /**
     * Prepares the JVM.
     *
     * @param base a directory that everybody can read, where classes are copied to
     */
    ChildJvm(Path base) throws IOException {
        this.base = base;
        this.classPath = readableClassPath();
    }

    /**
     * Runs the class to its end, started by the given command, and returns what it printed. Fails unless it succeeds.
     */
    String run(List<String> by, Class<?> main, String... arguments) throws Exception {
        return run(by, process -> {}, main, arguments);
    }

    /**
     * Does the same as {@link #run(List, Class, String...)}, with a preparation of the process before it gets a line of
     * input.
     */
    String run(List<String> by, Preparation preparation, Class<?> main, String... arguments) throws Exception {
        Path output = Files.createTempFile(base, "output", ".txt");
        List<String> command = new ArrayList<>(by);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .directory(base.toFile())
                .start();
        boolean ended;
        try {
            preparation.prepare(process);
            try (OutputStream input = process.getOutputStream()) {
                input.write("go\n".getBytes(StandardCharsets.US_ASCII));
            }
            ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertThat(ended).as(said).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    /** The class path of this test, copied to where everybody can read it. */
    private String readableClassPath() throws IOException {
        Path copy = Files.createDirectory(base.resolve("classes"));
        List<String> elements = new ArrayList<>();
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String element : Splitter.on(File.pathSeparatorChar).split(path)) {
            Path source = Path.of(element);
            String name = source.getFileName().toString();
            if (Files.isDirectory(source)) {
                elements.add(copyTree(source, copy.resolve(elements.size() + "-" + name))
                        .toString());
            } else if (name.matches("(guava|failureaccess|slf4j-api|logback-|warpnfs-limits).*\\.jar")) {
                elements.add(Files.copy(source, copy.resolve(name), StandardCopyOption.REPLACE_EXISTING)
                        .toString());
            }
        }
        return String.join(":", elements);
    }

    private static Path copyTree(Path source, Path target) throws IOException {
        try (Stream<Path> walk = Files.walk(source)) {
            for (Path path : walk.toList()) {
                Path to = target.resolve(source.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(to);
                } else {
                    try (InputStream in = Files.newInputStream(path)) {
                        Files.copy(in, to);
                    }
                }
            }
        }
        return target;
    }

    /** An action on a process that waits for a line of input. */
    interface Preparation {
        void prepare(Process process) throws Exception;
    }
}
