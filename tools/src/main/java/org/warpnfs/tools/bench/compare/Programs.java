package org.warpnfs.tools.bench.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.warpnfs.tools.bench.BenchException;

/** Finds programs of this host and runs them to their end. */
public final class Programs {
    /** Directories that are searched even if PATH does not name them, such as those of root's programs. */
    private static final List<String> PLACES = List.of("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin");

    private Programs() {}

    /** Finds a program. */
    static Optional<Path> find(String name) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.concat(Stream.of(path.split(":", -1)), PLACES.stream())
                .filter(place -> place.startsWith("/"))
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Runs a program to its end and returns its standard output.
     *
     * @throws BenchException if the program does not exist, fails, or exceeds the limit; the message has its name and
     *     output
     */
    public static String run(int limitSeconds, String... command) throws BenchException, InterruptedException {
        Path program = (command[0].startsWith("/") ? Optional.of(Path.of(command[0])) : find(command[0]))
                .orElseThrow(() -> new BenchException(command[0] + " is not installed"));
        String[] found = command.clone();
        found[0] = program.toString();
        try {
            // The output goes to a file. So the program never waits for a reader, and the time limit holds.
            Path said = Files.createTempFile("warpnfs-compare", ".out");
            Path complaint = Files.createTempFile("warpnfs-compare", ".err");
            try {
                return run(limitSeconds, found, said, complaint);
            } finally {
                Files.delete(said);
                Files.delete(complaint);
            }
        } catch (IOException e) {
            throw new BenchException(command[0] + ": " + e.getMessage(), e);
        }
    }

    private static String run(int limitSeconds, String[] command, Path said, Path complaint)
            throws IOException, BenchException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(said.toFile())
                .redirectError(complaint.toFile())
                .start();
        try {
            if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
                throw new BenchException(command[0] + ": not done after " + limitSeconds + " s");
            }
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            String why =
                    Files.readString(complaint, StandardCharsets.ISO_8859_1).strip();
            throw new BenchException(command[0] + ": "
                    + (why.isEmpty()
                            ? "exit status " + process.exitValue()
                            : why.lines().findFirst().orElse("")));
        }
        return Files.readString(said, StandardCharsets.ISO_8859_1);
    }
}
