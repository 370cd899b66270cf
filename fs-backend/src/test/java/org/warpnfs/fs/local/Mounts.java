package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Mounts made for a test. They are undone in reverse order when it ends. */
final class Mounts implements AutoCloseable {
    private final Deque<Path> mounted = new ArrayDeque<>();

    /** Skips a test that has no permission to mount. The build's output says which. */
    static void assumePossible() {
        boolean possible = LocalBackend.IS_ROOT && Files.isExecutable(Path.of("/bin/mount"));
        if (!possible) {
            System.err.println("not root: a test that mounts is skipped");
        }
        Assumptions.assumeTrue(possible, "only root mounts");
    }

    void bind(Path source, Path target) throws IOException {
        run("mount", "--bind", source.toString(), target.toString());
        mounted.push(target);
    }

    void overlay(Path lower, Path upper, Path work, Path target) throws IOException {
        run(
                "mount",
                "-t",
                "overlay",
                "-o",
                "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work,
                "overlay",
                target.toString());
        mounted.push(target);
    }

    @Override
    public void close() throws IOException {
        while (!mounted.isEmpty()) {
            run("umount", mounted.pop().toString());
        }
    }

    /** Runs a command to its end. If it fails, throws with its output. */
    static void run(String... command) throws IOException {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.onExit().join().exitValue();
        if (exit != 0) {
            throw new IOException(String.join(" ", command) + ": " + said.strip());
        }
    }
}
