package org.warpnfs.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ProcessIdsTest {
    @TempDir
    private Path temporary;

    @Test
    void ids_ofAProcessOfAnotherUser_areThatUsers() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root starts processes of other users");
        // Another user need not be able to enter the directories above those of the build.
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (Class<?> type : new Class<?>[] {ProcessIds.class, Show.class}) {
            Path file = temporary.resolve(type.getName().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            try (var in = type.getResourceAsStream(file.getFileName().toString())) {
                Files.copy(in, file);
            }
        }
        Process process = new ProcessBuilder(
                        "setpriv",
                        "--reuid=1234",
                        "--regid=1235",
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        temporary.toString(),
                        Show.class.getName())
                .directory(temporary.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said.strip()).isEqualTo("1234 1235");
    }

    /** What the process of the other user runs. */
    static final class Show {
        private Show() {}

        public static void main(String[] arguments) {
            System.out.println(ProcessIds.uid() + " " + ProcessIds.gid());
        }
    }
}
