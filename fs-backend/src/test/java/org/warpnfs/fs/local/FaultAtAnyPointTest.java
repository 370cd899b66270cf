package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every operation with each of its calls of libc failing, one after another, by EIO, ENOMEM, EMFILE and ENOSPC. A
 * change that was made is never answered by "try again later", and the verifier changes if a sync fails. The calls fail
 * in a separate process, through a library that the C compiler makes of faults.c.
 */
class FaultAtAnyPointTest {
    private static final long LIMIT_SECONDS = 240;

    @TempDir
    Path base;

    /** In memory, since thousands of operations are synced. */
    private Path tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = TmpfsDirectory.make("warpnfs-faults");
    }

    @AfterEach
    void removeTree() throws IOException {
        TmpfsDirectory.remove(tree);
    }

    @Test
    void anyCallFails_kernelsHandles_whatChangedIsNotToBeTriedAgain() throws Exception {
        run("kernel");
    }

    @Test
    void anyCallFails_tableOfHandles_whatChangedIsNotToBeTriedAgain() throws Exception {
        run("table");
    }

    @Test
    void anyCallFails_withoutOneJournal_whatChangedIsNotToBeTriedAgain() throws Exception {
        run("unordered");
    }

    private void run(String mode) throws Exception {
        Path control = Files.write(base.resolve("control"), new byte[4096]);
        Path output = base.resolve("output");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                FaultAtAnyPoint.class.getName(),
                mode,
                tree.toString(),
                Files.createDirectory(base.resolve("state")).toString());
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("LD_PRELOAD", library().toString());
        builder.environment().put("WARPNFS_FAULTS", control.toString());
        Process process = builder.start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        String said = Files.readString(output);
        assertThat(ended).as(said).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        assertThat(said).contains("ALL CHECKS PASSED");
    }

    private Path library() throws IOException {
        Path source = base.resolve("faults.c");
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("faults.c"))) {
            Files.copy(in, source);
        }
        Path library = base.resolve("libfaults.so");
        try {
            Mounts.run("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString(), "-ldl");
        } catch (IOException e) {
            throw new IOException(
                    "gcc is needed to make calls of libc fail: install it (Debian: apt install gcc libc6-dev)", e);
        }
        return library;
    }
}
