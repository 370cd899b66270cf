package org.warpnfs.testkit.ceph;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.warpnfs.testkit.ceph.CephCluster.Daemon;

/** The processes of a cluster. They end with this process, even if it is killed. */
final class CephDaemons {
    private static final int LOG_LINES = 15;

    private final Path configuration;
    private final Path logs;
    private final Map<Daemon, Process> running = Collections.synchronizedMap(new LinkedHashMap<>());
    /** A shell for each daemon, which kills it when the pipe from this process ends. */
    private final Map<Daemon, Process> guards = Collections.synchronizedMap(new LinkedHashMap<>());

    /** @param logs the directory of the logs, which exists before the first daemon is started */
    CephDaemons(Path configuration, Path logs) {
        this.configuration = configuration;
        this.logs = logs;
    }

    void start(Daemon daemon) throws IOException {
        Path log = logs.resolve(daemon.program() + ".out");
        Process process = new ProcessBuilder(daemon.program(), "-c", configuration.toString(), "-f", "-i", daemon.id())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        running.put(daemon, process);
        guards.put(daemon, new ProcessBuilder("sh", "-c", "cat > /dev/null; kill -9 " + process.pid()).start());
    }

    void kill(Daemon daemon) throws InterruptedException {
        Process process = running.remove(daemon);
        Process guard = guards.remove(daemon);
        if (guard != null) {
            guard.destroyForcibly().waitFor();
        }
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    /** Sends a signal, by its name without SIG. */
    void signal(String signal, Daemon daemon) throws IOException, InterruptedException {
        Process process = running.get(daemon);
        if (process == null) {
            throw new IllegalStateException(daemon + " does not run");
        }
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    /** Ends all daemons, and waits for their end unless this thread is interrupted. */
    void killAll() {
        guards.values().forEach(Process::destroyForcibly);
        running.values().forEach(Process::destroyForcibly);
        try {
            for (Process process : running.values()) {
                process.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        running.clear();
        guards.clear();
    }

    /** Returns the last lines of each log. */
    String logs() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(logs)) {
            for (Path file : files.toList()) {
                List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
                all.append(file.getFileName()).append('\n');
                lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size())
                        .forEach(line -> all.append("  ").append(line).append('\n'));
            }
        }
        return all.toString();
    }
}
