package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.warpnfs.tools.bench.BenchException;

/** A server that listens. It ends when its namespace ends. */
public record ServerProcess(long pid, int port, int mountPort, int rdmaPort) {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int CONNECT_MILLIS = 1000;
    private static final int POLL_MILLIS = 50;
    private static final int LOG_LINES = 6;

    /** Starts a process; who did it ends it. */
    @FunctionalInterface
    public interface Starter {
        Process start(ProcessBuilder command) throws IOException;
    }

    /**
     * Starts a program and waits until it listens.
     *
     * @param starter starts the process
     * @param log file for its output
     * @param ports the ports that it must listen on
     * @return the process
     * @throws BenchException if it ends or does not listen in time; the message has the end of its log
     */
    public static Process start(Starter starter, String name, List<String> command, Path log, int... ports)
            throws BenchException, InterruptedException {
        Process process;
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            // The servers must not get settings from the user's environment.
            builder.environment().keySet().removeIf(key -> key.startsWith("WARPNFS_"));
            process = starter.start(builder);
        } catch (IOException e) {
            throw new BenchException(name + ": " + e.getMessage(), e);
        }
        long end = System.nanoTime() + LIMIT_NANOS;
        for (int port : ports) {
            while (!listens(port)) {
                if (!process.isAlive()) {
                    throw new BenchException(name + " ended: " + lastLines(log));
                }
                if (System.nanoTime() - end > 0) {
                    process.destroyForcibly();
                    throw new BenchException(name + " does not listen at port " + port + ": " + lastLines(log));
                }
                Thread.sleep(POLL_MILLIS);
            }
        }
        return process;
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The last lines of the log. The reason usually stands before the very last line. */
    private static String lastLines(Path log) {
        try {
            List<String> lines = Files.readString(log, StandardCharsets.ISO_8859_1)
                    .strip()
                    .lines()
                    .toList();
            return lines.isEmpty()
                    ? "it said nothing"
                    : String.join(" | ", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "it has no log";
        }
    }
}
