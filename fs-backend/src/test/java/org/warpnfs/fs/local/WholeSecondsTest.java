package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Timestamp;

/** A file system whose times have whole seconds: ext4 with inodes of 128 bytes. */
class WholeSecondsTest {
    @TempDir
    Path base;

    @Test
    void create_exclusiveRepeated_findsItsOwn() throws Exception {
        try (LoopDevice device = LoopDevice.ext4WithSmallInodes(base);
                LocalFileSystem fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS)) {
            for (long verifier : List.of(0L, -1L, 1L << 62, 1L << 63, 0x8123_4567_89ab_cdefL)) {
                FileName name = FileName.of("f" + verifier);
                CreateMode mode = new CreateMode.Exclusive(verifier, AttributeChanges.ofPermissions(0600));
                Created first = fs.create(Caller.ROOT, fs.root(), name, mode);
                // What the file system keeps, not what the kernel has in memory.
                Mounts.run("sh", "-c", "sync; echo 2 >/proc/sys/vm/drop_caches");

                Created again = fs.create(Caller.ROOT, fs.root(), name, mode);
                assertThat(again.isNew()).isFalse();
                assertThat(again.node().handle()).isEqualTo(first.node().handle());
                CreateMode other = new CreateMode.Exclusive(verifier ^ 1L << 63, AttributeChanges.NONE);
                assertThatThrownBy(() -> fs.create(Caller.ROOT, fs.root(), name, other))
                        .isInstanceOf(FsException.class);
            }
            Timestamp changed = fs.attributes(fs.root()).changeTime();
            assertThat(changed.nanos()).as("of such a file system").isZero();
            assertThat(fs.limits().timeGranularityNanos()).isEqualTo((int) TimeUnit.SECONDS.toNanos(1));
        }
    }

    @Test
    void timeGranularity_ofOrdinaryInodes_isNotASecond() throws Exception {
        try (LoopDevice device = LoopDevice.ext4(base);
                LocalFileSystem fs = LocalFileSystem.open(device.directory(), LocalOptions.DEFAULTS)) {
            assertThat(fs.limits().timeGranularityNanos()).isEqualTo(1);
        }
    }
}
