package org.warpnfs.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the memory limit of a container is read, from files laid out as cgroups(7) says. */
class ContainerMemoryTest {
    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private long limit(String membership) throws IOException {
        Files.writeString(root.resolve("membership"), membership);
        return ContainerMemory.limitBytes(root.resolve("membership"), root);
    }

    @Test
    void version2_groupAboveIsSmaller_counts() throws IOException {
        write("system.slice/memory.max", "1073741824\n");
        write("system.slice/warpnfs.service/memory.max", "max\n");
        assertThat(limit("0::/system.slice/warpnfs.service\n")).isEqualTo(1 << 30);
        write("system.slice/warpnfs.service/memory.max", "536870912\n");
        assertThat(limit("0::/system.slice/warpnfs.service\n")).isEqualTo(512 << 20);
    }

    @Test
    void version2_groupIsTheRootThatIsMounted_counts() throws IOException {
        write("memory.max", "268435456\n");
        assertThat(limit("0::/\n")).isEqualTo(256 << 20);
        assertThat(limit("0::/../other\n")).isEqualTo(256 << 20);
        assertThat(limit("0::/not/visible/here\n")).isEqualTo(256 << 20);
    }

    @Test
    void version2_maxEverywhere_isNoLimit() throws IOException {
        write("a/memory.max", "max\n");
        assertThat(limit("0::/a\n")).isEqualTo(ContainerMemory.UNLIMITED);
    }

    @Test
    void version1_groupOfMemory_counts() throws IOException {
        write("memory/docker/0123/memory.limit_in_bytes", "402653184\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        String membership = "5:cpu,cpuacct:/docker/0123\n4:memory:/docker/0123\n0::/docker/0123\n";
        assertThat(limit(membership)).isEqualTo(384 << 20);
        write("memory/docker/0123/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(limit(membership)).isEqualTo(ContainerMemory.UNLIMITED);
    }

    @Test
    void nothingReadable_isNoLimit() throws IOException {
        assertThat(ContainerMemory.limitBytes(root.resolve("missing"), root)).isEqualTo(ContainerMemory.UNLIMITED);
        write("a/memory.max", "nonsense");
        assertThat(limit("nonsense\n0::/a\n")).isEqualTo(ContainerMemory.UNLIMITED);
    }
}
