package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MountPointsTest {
    /**
     * Lines of a real host, without the fields that are not read. One mount covers another, and one path has a blank.
     */
    private static final String MOUNT_INFO = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            31 22 0:27 / /srv rw - btrfs /dev/sdb rw
            40 31 0:28 / /srv/b\\040c rw - tmpfs tmpfs rw
            41 31 0:29 / /srv/a rw - tmpfs tmpfs rw
            42 41 0:30 / /srv/a/deep rw - tmpfs tmpfs rw
            43 41 0:31 / /srv/a rw - tmpfs tmpfs rw
            44 22 0:32 / /srvother rw - tmpfs tmpfs rw
            """;

    /** Any user who may mount by FUSE can choose such a name. It must not keep other mounts from being served. */
    @Test
    void below_nameOfOtherBytes_isNoReasonToServeNothing() {
        byte[] info = "1 2 0:1 / /srv/a rw - tmpfs tmpfs rw\n3 2 0:2 / /srv/\u00ff rw - fuse fuse rw\n"
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(MountPoints.below(Path.of("/srv"), MountPoints.text(info))).contains(Path.of("/srv/a"));
    }

    @Test
    void below_directory_itsMountPointsOnceFromTheTop() {
        assertThat(MountPoints.below(Path.of("/srv"), MOUNT_INFO))
                .containsExactly(Path.of("/srv/a"), Path.of("/srv/a/deep"), Path.of("/srv/b c"));
    }

    @Test
    void below_directoryWithoutMounts_none() {
        assertThat(MountPoints.below(Path.of("/srv/a/deep"), MOUNT_INFO)).isEmpty();
    }
}
