package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory of a run, below the host's temporary directory, and the processes that were started for the run. When
 * the run ends, they are killed and the directory is removed, even if this process is interrupted or terminated. If
 * this process is killed, both stay. Thread-safe.
 */
public final class RunDirectory implements AutoCloseable {
    private final Path path;
    private final List<Process> processes = new ArrayList<>();
    private final Thread hook = new Thread(this::clear, "run-clear");
    private boolean cleared;

    private RunDirectory(Path path) {
        this.path = path;
    }

    /** Creates a directory whose name begins with the prefix. Other users may enter it, but not list it. */
    public static RunDirectory make(String prefix) throws IOException {
        RunDirectory made = new RunDirectory(Files.createTempDirectory(
                prefix, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x"))));
        Runtime.getRuntime().addShutdownHook(made.hook);
        return made;
    }

    public Path path() {
        return path;
    }

    /**
     * Starts a process that is killed when the run ends.
     *
     * @throws IOException if it cannot be started, or the run has ended
     */
    public synchronized Process start(ProcessBuilder command) throws IOException {
        if (cleared) {
            throw new IOException("the run has ended");
        }
        processes.removeIf(process -> !process.isAlive());
        Process process = command.start();
        processes.add(process);
        return process;
    }

    private synchronized void clear() {
        cleared = true;
        processes.forEach(process -> process.destroyForcibly().onExit().join());
        try (Stream<Path> tree = Files.walk(path)) {
            for (Path file : tree.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | RuntimeException e) {
            // Whatever remains is in the host's temporary directory.
        }
    }

    /** Kills the processes of the run and removes the directory. */
    @Override
    public void close() {
        clear();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The virtual machine is shutting down. The hook has run already or waits for this thread.
        }
    }
}
