package org.warpnfs.server.limits;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.warpnfs.server.cli.Main;

/** A server in its own process with few descriptors and little memory. */
public final class SmallProcess implements AutoCloseable {
    private static final int SECONDS = 30;

    private final Process process;
    private final BufferedReader output;

    private SmallProcess(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Starts a server.
     *
     * @param temporary the directory for its export ({@code files}) and its state
     * @param flags options of the virtual machine
     */
    public static SmallProcess start(Path temporary, int descriptors, String classPath, String... flags)
            throws IOException {
        Path export = Files.createDirectories(temporary.resolve("files"));
        Files.setPosixFilePermissions(export, PosixFilePermissions.fromString("rwxrwxrwx"));
        List<String> command = new ArrayList<>(List.of("prlimit", "--nofile=" + descriptors + ":" + descriptors));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", classPath, Main.class.getName(), "serve"));
        command.addAll(List.of("--listen", "127.0.0.1", "--rdma-port", "0", "--tcp-port", "0"));
        command.addAll(List.of("--state", temporary.resolve("state").toString()));
        command.addAll(List.of("--export", export + ":/,no_root_squash"));
        return new SmallProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** Returns the class path of the build. */
    public static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /**
     * Returns the class path with jar files in place of directories, as on an installed server. A class in a directory
     * needs a descriptor to be loaded.
     */
    public static String classPathOfJars(Path directory) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : List.of(classPath().split(File.pathSeparator, -1))) {
            Path path = Path.of(entry);
            entries.add(
                    Files.isDirectory(path)
                            ? jar(path, directory.resolve("classes" + entries.size() + ".jar"))
                                    .toString()
                            : entry);
        }
        return String.join(File.pathSeparator, entries);
    }

    private static Path jar(Path classes, Path jar) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(classes)) {
            files = walk.filter(Files::isRegularFile).toList();
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Path file : files) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    /** Returns the lines that the server prints until it is ready or ends. */
    public List<String> linesUntilReady() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null && !line.equals("ready"); line = output.readLine()) {
            lines.add(line);
        }
        return lines;
    }

    /** Finds the address of a transport, {@code tcp} or {@code rdma}, in the lines that the server printed. */
    public static InetSocketAddress address(String transport, List<String> lines) {
        Pattern pattern = Pattern.compile(transport + " +.*?:(\\d+) .*");
        Matcher found = lines.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .orElseThrow(() -> new AssertionError(String.join("\n", lines)));
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(found.group(1)));
    }

    /** The rest of the server's standard output and error. Only one thread may read it. */
    public BufferedReader output() {
        return output;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the end of the process and returns its exit status. */
    public int awaitExit() throws InterruptedException {
        return process.waitFor();
    }

    /** Returns the bytes of all objects that can be reached, with their headers: the total of a class histogram. */
    public long liveHeapBytes() throws IOException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process histogram = new ProcessBuilder(jcmd.toString(), "" + process.pid(), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = histogram.inputReader(StandardCharsets.UTF_8)) {
            // Total, instances, bytes.
            String total = lines.lines()
                    .filter(line -> line.startsWith("Total "))
                    .findFirst()
                    .orElseThrow(() -> new IOException("jcmd prints no histogram"));
            return Long.parseLong(total.substring(total.lastIndexOf(' ') + 1));
        }
    }

    /** Returns the number of open descriptors. */
    public int descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return (int) all.count();
        }
    }

    /** Limits new descriptors to those below {@code number}. Open ones stay open. */
    public void limitDescriptors(int number) throws IOException, InterruptedException {
        // Change only the soft limit, as an unprivileged user could not raise the hard limit again.
        Process prlimit = new ProcessBuilder("prlimit", "--pid=" + process.pid(), "--nofile=" + number + ":")
                .inheritIO()
                .start();
        if (prlimit.waitFor() != 0) {
            throw new IOException("prlimit fails");
        }
    }

    /** Ends the process by SIGTERM, or by SIGKILL if it does not end in time. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try (output) {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
