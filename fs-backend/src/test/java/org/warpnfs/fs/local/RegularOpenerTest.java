package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.Caller;

/** Who waits for whom when permissions change. */
class RegularOpenerTest {
    @TempDir
    Path directory;

    private final Authority authority = new SoftwareAuthority(new AttributeReader(0, 0, false, false), 65_534, 65_534);

    private Fd file(String name) throws Exception {
        Path path = Files.createFile(directory.resolve(name));
        return OpenCalls.open(path.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_PATH);
    }

    /** The file system of one file may hang, and the other file may be in another. */
    @Test
    void changePermissions_whileAnotherFilesHang_doesNotWait() throws Exception {
        try (Fd hanging = file("a");
                Fd other = file("b");
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            RegularOpener.changePermissions(authority, Caller.ROOT, hanging, () -> {
                Future<?> change = thread.submit(() -> {
                    RegularOpener.changePermissions(
                            authority, Caller.ROOT, other, () -> AttributeCalls.chmod(other, 0640));
                    return true;
                });
                assertThat(change).succeedsWithin(10, TimeUnit.SECONDS);
            });

            assertThat(AttributeReader.statx(other).mode() & 0777).isEqualTo(0640);
        }
    }
}
