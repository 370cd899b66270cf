package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.tools.bench.BenchException;

@Timeout(120)
class ServersTest {
    @TempDir
    private Path directory;

    @Test
    void ganesha_exportsEachTreeByItsName() {
        assertThat(Servers.configuration(
                        new TreeMap<>(Map.of(Tree.TMPFS, Path.of("/a/tmpfs"), Tree.EXT4, Path.of("/a/ext4")))))
                .contains("EXPORT { Export_Id = 1; Path = /a/tmpfs; Pseudo = /tmpfs; FSAL { Name = VFS; } }")
                .contains("EXPORT { Export_Id = 2; Path = /a/ext4; Pseudo = /ext4; FSAL { Name = VFS; } }")
                .contains("NFS_Port = 2050; MNT_Port = 20048;");
    }

    @Test
    void serverThatEnds_isToldWithItsLastWords() {
        assertThatThrownBy(() -> ServerProcess.start(
                        ProcessBuilder::start,
                        "it",
                        List.of("/bin/sh", "-c", "echo no luck; exit 1"),
                        directory.resolve("log"),
                        1))
                .isInstanceOf(BenchException.class)
                .hasMessage("it ended: no luck");
    }

    @Test
    void programThatIsNotThere_orFails_isNamed() {
        assertThatThrownBy(() -> Programs.run(10, "no-such-program"))
                .isInstanceOf(BenchException.class)
                .hasMessage("no-such-program is not installed");
        assertThatThrownBy(() -> Programs.run(10, "sh", "-c", "echo why >&2; exit 3"))
                .isInstanceOf(BenchException.class)
                .hasMessageEndingWith("sh: why");
    }
}
