package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Opening a directory of the host, and a sync of it that fails. */
class LocalFileSystemTest extends LocalTreeFixture {
    @Test
    void open_unusableDirectory_saysWhy() throws Exception {
        assertThatThrownBy(() -> LocalFileSystem.open(base.resolve("nothing"), LocalOptions.DEFAULTS))
                .isInstanceOf(IOException.class)
                .hasMessage("no such directory: " + base.resolve("nothing"));

        Path file = Files.createFile(base.resolve("file"));
        assertThatThrownBy(() -> LocalFileSystem.open(file, LocalOptions.DEFAULTS))
                .isInstanceOf(IOException.class)
                .hasMessage("not a directory: " + file);
    }

    @Test
    void sync_thatFails_changesTheVerifierFirst() throws Exception {
        fs.close();
        AtomicBoolean failing = new AtomicBoolean();
        Startup.KernelSyncCalls kernel = new Startup.KernelSyncCalls();
        Durability.SyncCalls calls = new Durability.SyncCalls() {
            private void failIfAsked() throws ErrnoException {
                if (failing.get()) {
                    throw ErrnoException.of(Errno.EIO);
                }
            }

            @Override
            public void fsync(Fd fd) throws ErrnoException {
                failIfAsked();
                kernel.fsync(fd);
            }

            @Override
            public void fdatasync(Fd fd) throws ErrnoException {
                failIfAsked();
                kernel.fdatasync(fd);
            }

            @Override
            public void syncFileSystem(Fd fd) throws ErrnoException {
                failIfAsked();
                kernel.syncFileSystem(fd);
            }
        };
        fs = LocalFileSystem.open(tree, LocalOptions.DEFAULTS, calls);
        FileHandle file = create(fs.root(), "f");
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            failing.set(true);
            for (Stability stability : EnumSet.of(Stability.DATA_SYNC, Stability.FILE_SYNC)) {
                long before = fs.writeVerifier();
                assertFails(FsError.IO, () -> open.write(ByteBuffer.wrap(new byte[] {1}), 0, stability));
                assertThat(fs.writeVerifier()).isNotEqualTo(before);
            }
            long before = fs.writeVerifier();
            assertFails(FsError.IO, open::sync);
            assertThat(fs.writeVerifier()).isNotEqualTo(before);
            assertFails(FsError.IO, () -> create(fs.root(), "g"));
            failing.set(false);
            open.sync();
        }
    }
}
