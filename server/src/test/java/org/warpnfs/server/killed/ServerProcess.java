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

/**
 * A server as a process of its own, started as often as it is killed: over one directory, one state and one pair of
 * ports.
 */
final class ServerProcess {
    private static final int READY_SECONDS = 120;

    /**
     * Who the server is, and what it serves.
     *
     * @param uid the user it runs as
     * @param export the directory it serves, that user's
     * @param state what outlives it
     * @param classPath what that user may read
     */
    record Plan(int uid, int leaseSeconds, Path export, Path state, String classPath) {}

    private final Plan plan;
    private final Path log;
    private final int rdmaPort = freePort();
    private final int tcpPort = freePort();
    private Process process;

    ServerProcess(Plan plan, Path log) {
        this.plan = plan;
        this.log = log;
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

    /** The same of another build of the server. */
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

    /** Returns once it serves; a server that does not start from what its predecessor left is a failure. */
    void awaitReady() throws Exception {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        while (!Files.readString(log).lines().anyMatch("ready"::equals)) {
            if (!process.isAlive() || System.nanoTime() - deadlineNanos > 0) {
                throw new AssertionError("the server does not start:\n" + output());
            }
            Thread.sleep(10);
        }
    }

    /** What it has printed since it was started. */
    String output() throws IOException {
        return Files.readString(log);
    }

    /** SIGHUP. */
    void hangUp() throws Exception {
        if (new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor()
                != 0) {
            throw new AssertionError("no SIGHUP to " + process.pid());
        }
    }

    /** SIGTERM; the status that it ends with. */
    int terminate() throws Exception {
        process.destroy();
        if (!process.waitFor(READY_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server outlives SIGTERM");
        }
        return process.exitValue();
    }

    /** SIGKILL; returns once it is gone, with all that it was doing. */
    void kill() throws Exception {
        if (process != null) {
            process.destroyForcibly();
            if (!process.waitFor(READY_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the server outlives SIGKILL");
            }
        }
    }
}
