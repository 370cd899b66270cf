package org.warpnfs.tools.bench.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.warpnfs.tools.bench.BenchException;

/**
 * Starts this program again with a network, processes and mounts of its own, by unshare(1), and waits for it.
 *
 * <h2>Operation</h2>
 *
 * The run inside is process 1 in there: when it ends, the kernel ends whatever it started, and with the last process
 * the network, the mounts and their loop devices go. It holds a directory below the host's temporary one, for what it
 * hands out and what it logs.
 *
 * <h2>Errors</h2>
 *
 * If this process is interrupted or told to end, it kills what is inside and removes the directory. If it is killed
 * itself, the run inside sees the end of its standard input and ends; only the directory stays.
 */
public final class Namespace implements AutoCloseable {
    /** The system property that tells a run that it is inside, and which directory it has. */
    public static final String DIRECTORY = "warpnfs.compare.directory";

    /** Netty looks for the address of a network adapter, and there is none inside: it says so in a warning. */
    private static final String NO_ADAPTER = "-Dio.netty.machineId=02:00:00:00:00:01";

    /** What makes a namespace, and the packages that have it. */
    private static final Map<String, String> PACKAGES =
            new TreeMap<>(Map.of("ip", "iproute2", "mount", "mount", "unshare", "util-linux"));

    private final Path directory;
    private final Thread hook = new Thread(this::clear, "compare-clear");
    private volatile Optional<Process> inside = Optional.empty();

    private Namespace(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes the directory.
     *
     * @throws BenchException if this host or user cannot have namespaces; says what to do
     */
    public static Namespace make() throws BenchException, InterruptedException {
        Optional<String> obstacle = obstacle(System.getProperty("os.name"), isRoot(), program -> Programs.find(program)
                .isPresent());
        if (obstacle.isPresent()) {
            throw new BenchException(obstacle.get());
        }
        try {
            Programs.run(10, "unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "true");
        } catch (BenchException e) {
            throw new BenchException(
                    "bench compare can make no namespace of its own here, which takes CAP_SYS_ADMIN: " + e.getMessage()
                            + ". In a container, run it on the host",
                    e);
        }
        try {
            // Servers look into it as other users.
            Path directory = Files.createTempDirectory(
                    "warpnfs-compare-",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
            Namespace made = new Namespace(directory);
            Runtime.getRuntime().addShutdownHook(made.hook);
            return made;
        } catch (IOException e) {
            throw new BenchException("bench compare can make no temporary directory: " + e.getMessage(), e);
        }
    }

    /** Why there can be no namespace, and what to do about it. */
    static Optional<String> obstacle(String system, boolean root, Predicate<String> installed) {
        if (!system.equals("Linux")) {
            return Optional.of("bench compare needs Linux, for a network namespace of its own: this is " + system);
        }
        for (Map.Entry<String, String> program : PACKAGES.entrySet()) {
            if (!installed.test(program.getKey())) {
                return Optional.of("bench compare needs " + program.getKey() + " (on Debian: apt-get install "
                        + program.getValue() + ")");
            }
        }
        return root
                ? Optional.empty()
                : Optional.of(
                        "bench compare needs root, for a network namespace and file systems of its own: run it by "
                                + "sudo. bench alone measures any server without it");
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid", LinkOption.NOFOLLOW_LINKS)
                    .equals(0);
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** What the run inside hands out is here. */
    public Path directory() {
        return directory;
    }

    /**
     * Runs this program inside, to its end.
     *
     * @param arguments behind the main class
     * @param limit after which it is killed
     * @param out hears the lines of its standard output; on a thread of its own, as err
     * @return its exit status
     */
    public int run(String mainClass, List<String> arguments, Duration limit, Consumer<String> out, Consumer<String> err)
            throws BenchException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Programs.find("unshare").orElseThrow().toString(),
                "--net",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "--"));
        command.addAll(java(List.of("-D" + DIRECTORY + "=" + directory, NO_ADAPTER), mainClass));
        command.addAll(arguments);
        Process process;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new BenchException("unshare: " + e.getMessage(), e);
        }
        inside = Optional.of(process);
        Thread saying = relay(process.inputReader(StandardCharsets.UTF_8), out);
        Thread complaining = relay(process.errorReader(StandardCharsets.UTF_8), err);
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new BenchException("not done after " + limit.toMinutes() + " minutes, and ended");
            }
            saying.join();
            complaining.join();
            return process.exitValue();
        } finally {
            end(process);
        }
    }

    /** The command that starts a main class as this one was started. */
    public static List<String> java(List<String> flags, String mainClass) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        String library = System.getProperty("java.library.path");
        if (library != null) {
            command.add("-Djava.library.path=" + library);
        }
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        return command;
    }

    private static Thread relay(BufferedReader from, Consumer<String> to) {
        return Thread.ofPlatform().daemon().name("compare-output").start(() -> {
            try (from) {
                for (String line = from.readLine(); line != null; line = from.readLine()) {
                    to.accept(line);
                }
            } catch (IOException e) {
                // The process was killed.
            }
        });
    }

    /** Its parent's death kills process 1 inside, and that all others: nothing in there can hold on. */
    private static void end(Process process) {
        process.destroyForcibly().onExit().join();
    }

    private void clear() {
        inside.ifPresent(Namespace::end);
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | RuntimeException e) {
            // What is left is in the host's temporary directory.
        }
    }

    /** Ends what is inside and removes the directory. */
    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The machine is going down, and the hook has run or waits for us.
        }
    }
}
