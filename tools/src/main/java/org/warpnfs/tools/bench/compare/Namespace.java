package org.warpnfs.tools.bench.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.warpnfs.tools.bench.BenchException;
import org.warpnfs.tools.bench.ProcessIds;

/**
 * Starts this program again in new namespaces of network, processes and mounts, by unshare(1), and waits for it.
 *
 * <h2>Operation</h2>
 *
 * The run inside is process 1 of its namespace. When it ends, the kernel ends all processes that it started. With the
 * last process, the network, the mounts and their loop devices disappear. The results and logs of the run are in a
 * directory below the host's temporary directory.
 *
 * <h2>Errors</h2>
 *
 * If this process is interrupted or terminated, it kills the run inside and removes the directory. If this process is
 * killed, the run inside sees the end of its standard input and ends. Then only the directory stays.
 */
public final class Namespace implements AutoCloseable {
    /** The system property that marks a run inside and holds the path of its directory. */
    public static final String DIRECTORY = "warpnfs.compare.directory";

    /** The file in a build's directory that holds the server. */
    public static final String SERVER_JAR = "warpnfs-server.jar";

    /** Netty looks for the address of a network adapter. There is none inside, and Netty would log a warning. */
    private static final String NO_ADAPTER = "-Dio.netty.machineId=02:00:00:00:00:01";

    /** The programs that a namespace needs, and the packages that contain them. */
    private static final Map<String, String> PACKAGES =
            new TreeMap<>(Map.of("ip", "iproute2", "mount", "mount", "unshare", "util-linux"));

    private final RunDirectory directory;

    private Namespace(RunDirectory directory) {
        this.directory = directory;
    }

    /**
     * Creates the directory.
     *
     * @throws BenchException if this host or user cannot create namespaces; the message says what to do
     */
    public static Namespace make() throws BenchException, InterruptedException {
        Optional<String> obstacle =
                obstacle(System.getProperty("os.name"), ProcessIds.uid() == 0, program -> Programs.find(program)
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
            return new Namespace(RunDirectory.make("warpnfs-compare-"));
        } catch (IOException e) {
            throw new BenchException("bench compare can make no temporary directory: " + e.getMessage(), e);
        }
    }

    /** Returns why no namespace can be created, and what to do about it. Empty if nothing is in the way. */
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

    /** The directory with the results of the run inside. */
    public Path directory() {
        return directory.path();
    }

    /**
     * Runs this program inside and waits for its end.
     *
     * @param arguments arguments of the main class
     * @param limit time after which the run is killed
     * @param out receives the lines of standard output, and err those of standard error; each is called on a thread of
     *     its own
     * @return the exit status
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
        String at = directory.path().toString();
        // Its temporary files go with the directory, even if it is killed.
        command.addAll(java(List.of("-D" + DIRECTORY + "=" + at, "-Djava.io.tmpdir=" + at, NO_ADAPTER), mainClass));
        command.addAll(arguments);
        Process process;
        try {
            process = directory.start(new ProcessBuilder(command));
        } catch (IOException e) {
            throw new BenchException("unshare: " + e.getMessage(), e);
        }
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
            // When its parent dies, process 1 inside is killed, and with it all others inside. None can prevent it.
            process.destroyForcibly().onExit().join();
        }
    }

    /** Returns the command that starts a main class in the same way as this program was started. */
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

    /** Returns the same command with the class path of another build: a server's jar, and {@code lib} beside it. */
    static List<String> ofBuild(List<String> command, Path jars) {
        List<String> other = new ArrayList<>(command);
        int path = other.indexOf("-cp") + 1;
        other.set(path, jars.resolve(SERVER_JAR) + ":" + jars.resolve("lib") + "/*");
        return other;
    }

    private static Thread relay(BufferedReader from, Consumer<String> to) {
        return Thread.ofPlatform().daemon().name("compare-output").start(() -> {
            try (from) {
                for (String line = from.readLine(); line != null; line = from.readLine()) {
                    to.accept(line);
                }
            } catch (IOException e) {
                // The process was killed, so its output has ended.
            }
        });
    }

    /** Ends the run inside and removes the directory. */
    @Override
    public void close() {
        directory.close();
    }
}
