package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * A file that was written a moment ago is given as a range where sendfile(2) does not wait for its writers, and nowhere
 * else. Needs root, to mount.
 */
class RangesOfWrittenFilesTest {
    private static final int FILE_BYTES = 1 << 20;

    @TempDir
    Path base;

    private boolean givesWrittenFile(LoopDevice device) throws Exception {
        try (LocalFileSystem fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS)) {
            FileHandle file = fs.create(
                            Caller.ROOT,
                            fs.root(),
                            FileName.of("file"),
                            new CreateMode.Guarded(AttributeChanges.ofPermissions(0644)))
                    .node()
                    .handle();
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.WRITE)) {
                open.write(ByteBuffer.allocateDirect(FILE_BYTES), 0, Stability.FILE_SYNC);
            }
            assumeTrue(isGivenAnyway(device.directory().resolve("file")), "this kernel gives no ranges");
            try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ)) {
                return open.range(0, FILE_BYTES)
                        .map(range -> {
                            range.close();
                            return true;
                        })
                        .orElse(false);
            }
        }
    }

    /** Whether it would be given if nobody were waited for. */
    private static boolean isGivenAnyway(Path file) throws Exception {
        Fd fd = OpenCalls.open(file.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDONLY);
        try {
            return new FileRanges(true, false, DescriptorBudget.of(1024))
                    .range(fd, 0, FILE_BYTES)
                    .map(range -> {
                        range.close();
                        return true;
                    })
                    .orElse(false);
        } finally {
            fd.close();
        }
    }

    @Test
    void xfs_takesALock_givesNone() throws Exception {
        try (LoopDevice device = LoopDevice.xfs(base)) {
            assertThat(givesWrittenFile(device)).isFalse();
        }
    }

    @Test
    void ext4_takesNoLock_givesOne() throws Exception {
        try (LoopDevice device = LoopDevice.ext4(base)) {
            assertThat(givesWrittenFile(device)).isTrue();
        }
    }

    @Test
    void btrfs_takesNoLock_givesOne() throws Exception {
        try (LoopDevice device = LoopDevice.btrfs(base)) {
            assertThat(givesWrittenFile(device)).isTrue();
        }
    }
}
