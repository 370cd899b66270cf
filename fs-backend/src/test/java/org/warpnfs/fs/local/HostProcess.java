package org.warpnfs.fs.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A process of the host that opens and locks one file. It ends with its input. */
final class HostProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;

    private HostProcess(Process process) {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static HostProcess of(Path file) throws IOException {
        return new HostProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        HostProcess.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    int number() {
        return (int) process.pid();
    }

    /** Begins a command, which {@link #answer} ends. */
    void begin(String command) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((command + "\n").getBytes(StandardCharsets.US_ASCII));
        input.flush();
    }

    String answer() throws IOException {
        return String.valueOf(answers.readLine());
    }

    /** Locks from {@code first}; the length may be {@link Long#MAX_VALUE} for no end. Returns false if it cannot. */
    boolean locks(boolean exclusive, long first, long length) throws IOException {
        return run((exclusive ? "exclusive " : "shared ") + first + " " + length)
                .equals("locked");
    }

    void unlocks() throws IOException {
        run("unlock");
    }

    /** Opens the file and closes it. */
    void opens(boolean toWrite) throws IOException {
        run(toWrite ? "write" : "read");
    }

    private String run(String command) throws IOException {
        begin(command);
        return answer();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The process. */
    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        List<FileLock> locks = new ArrayList<>();
        FileChannel channel = null;
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "unlock" -> {
                    for (FileLock lock : locks) {
                        lock.release();
                    }
                    locks.clear();
                    System.out.println("unlocked");
                }
                case "read" -> {
                    FileChannel.open(file, StandardOpenOption.READ).close();
                    System.out.println("opened");
                }
                case "write" -> {
                    FileChannel.open(file, StandardOpenOption.WRITE).close();
                    System.out.println("opened");
                }
                default -> {
                    if (channel == null) {
                        channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    }
                    FileLock lock = channel.tryLock(
                            Long.parseLong(words[1]), Long.parseLong(words[2]), words[0].equals("shared"));
                    if (lock != null) {
                        locks.add(Objects.requireNonNull(lock));
                    }
                    System.out.println(lock == null ? "denied" : "locked");
                }
            }
            System.out.flush();
        }
    }
}
