package org.warpnfs.server.killed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.warpnfs.server.cli.Main;

/** A server in its own process, which can be killed and started again with the same directory, state and ports. */
final class ServerProcess {
    private static final int READY_SECONDS = 120;

    /**
     * The user of the server and the directories that it uses.
     *
     * @param uid the user that the server runs as
     * @param export the exported directory, which belongs to that user
     * @param state the state directory, which is kept across kills
     * @param classPath a class path that the user may read
     * @param more options
     */
    record Plan(int uid, int leaseSeconds, Path export, Path state, String classPath, List<String> more) {
        Plan {
            more = List.copyOf(more);
        }

        Plan(int uid, int leaseSeconds, Path export, Path state, String classPath) {
            this(uid, leaseSeconds, export, state, classPath, List.of());
        }
    }

    private final Plan plan;
    private final Path log;
    private final ExportedFiles files;
    private final int rdmaPort = freePort();
    private final int tcpPort = freePort();
    private Process process;

    ServerProcess(Plan plan, Path log) {
        this(plan, log, ExportedFiles.onThisHost());
    }

    /** A server of files that may be elsewhere. */
    ServerProcess(Plan plan, Path log, ExportedFiles files) {
        this.plan = plan;
        this.log = log;
        this.files = files;
    }

    /** What the server serves, seen without it. */
    ExportedFiles files() {
        return files;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Plan plan() {
        return plan;
    }

    InetSocketAddress rdma() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), rdmaPort);
    }

    InetSocketAddress tcp() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), tcpPort);
    }

    void start() throws IOException {
        start(plan.classPath());
    }

    /** Starts the server from another build. */
    void start(String classPath) throws IOException {
        List<String> command = new ArrayList<>();
        if (plan.uid() != ownUid()) {
            String uid = String.valueOf(plan.uid());
            command.addAll(List.of("setpriv", "--reuid", uid, "--regid", uid, "--clear-groups"));
        }
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of("-cp", classPath, Main.class.getName(), "serve"));
        command.addAll(List.of("--export", plan.export() + ",no_root_squash", "--state", plan.state() + ""));
        command.addAll(List.of("--listen", "127.0.0.1", "--rdma-port", rdmaPort + "", "--tcp-port", tcpPort + ""));
        command.addAll(plan.more());
        command.addAll(List.of("--lease", plan.leaseSeconds() + "", "--payload-memory", "64m"));
        Files.deleteIfExists(log);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static int ownUid() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    /** Returns once the server serves. Fails if it does not start from what the previous server left. */
    void awaitReady() throws Exception {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        while (!Files.readString(log).lines().anyMatch("ready"::equals)) {
            if (!process.isAlive() || System.nanoTime() - deadlineNanos > 0) {
                throw new AssertionError("the server does not start:\n" + output());
            }
            Thread.sleep(10);
        }
    }

    /** Returns what the server has printed since its last start. */
    String output() throws IOException {
        return Files.readString(log);
    }

    /** Sends SIGHUP. */
    void hangUp() throws Exception {
        signal("HUP");
    }

    /** Sends a signal that does not end the process by itself. */
    void signal(String name) throws Exception {
        if (new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor()
                != 0) {
            throw new AssertionError("no SIG" + name + " to " + process.pid());
        }
    }

    /** Returns the exit status of a process that ends on its own. */
    int awaitEnd() throws Exception {
        if (!process.waitFor(READY_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server does not end:\n" + output());
        }
        return process.exitValue();
    }

    /** Sends SIGTERM and returns the exit status. */
    int terminate() throws Exception {
        process.destroy();
        if (!process.waitFor(READY_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server outlives SIGTERM");
        }
        return process.exitValue();
    }

    /** Sends SIGKILL and returns once the process has ended. */
    void kill() throws Exception {
        if (process != null) {
            process.destroyForcibly();
            if (!process.waitFor(READY_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the server outlives SIGKILL");
            }
        }
    }
}
