package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** Number of descriptors that are held, and for how long. */
class DescriptorsTest extends LocalTreeFixture {
    private void readAndWrite(FileHandle file) throws FsException {
        try (OpenFile open = fs.open(Caller.ROOT, file, OpenAccess.READ_WRITE)) {
            open.write(ByteBuffer.wrap(new byte[] {1}), 0, Stability.UNSTABLE);
            open.read(ByteBuffer.allocate(1), 0);
        }
    }

    private long descriptorsInTree() throws IOException {
        long count = 0;
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    if (Files.readSymbolicLink(link).startsWith(base)) {
                        count++;
                    }
                } catch (IOException e) {
                    // closed meanwhile: that of the listing itself
                }
            }
        }
        return count;
    }

    @Test
    void close_afterAllKindsOfUse_leavesNoDescriptor() throws Exception {
        for (LocalOptions options :
                List.of(LocalOptions.DEFAULTS, UNPRIVILEGED.withStateDirectory(base.resolve("state")))) {
            restart(options);
            for (int i = 0; i < 20; i++) {
                readAndWrite(create(fs.root(), "f" + i));
            }
            FileHandle link = fs.makeSymlink(
                            Caller.ROOT, fs.root(), FileName.of("s"), new byte[] {'x'}, AttributeChanges.NONE)
                    .handle();
            fs.setAttributes(
                    Caller.ROOT,
                    link,
                    new AttributeChanges(null, null, null, null, new AttributeChanges.TimeChange.ToServerTime(), null));
            assertFails(FsError.EXISTS, () -> create(fs.root(), "f1"));
            assertFails(FsError.NO_ENTRY, () -> lookup(fs.root(), "x"));
            assertFails(FsError.NOT_DIRECTORY, () -> fs.lookupParent(Caller.ROOT, lookup(fs.root(), "f1")));
            fs.list(Caller.ROOT, fs.root(), 0, true, entry -> false);
            fs.rename(Caller.ROOT, fs.root(), FileName.of("f0"), fs.root(), FileName.of("f1"));
            fs.remove(Caller.ROOT, fs.root(), FileName.of("f2"));
            OpenFile leftOpen = fs.open(Caller.ROOT, lookup(fs.root(), "f3"), OpenAccess.READ);
            assertThat(descriptorsInTree()).isPositive();
            fs.close();
            assertThat(descriptorsInTree()).isZero();
            assertFails(FsError.STALE, () -> leftOpen.read(ByteBuffer.allocate(1), 0));
            assertFails(FsError.STALE, () -> fs.attributes(fs.root()));
            leftOpen.close();
            try (Stream<Path> files = Files.list(tree)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void idleDescriptors_beyondTheirNumber_areClosed() throws Exception {
        restart(LocalOptions.DEFAULTS.withMaxIdleFiles(3));
        // The first change opens the journal's marker, where there is one.
        fs.makeDirectory(Caller.ROOT, fs.root(), FileName.of("d"), AttributeChanges.NONE);
        long before = descriptorsInTree();
        for (int i = 0; i < 20; i++) {
            readAndWrite(create(fs.root(), "f" + i));
        }

        assertThat(descriptorsInTree()).isEqualTo(before + 3);

        for (int i = 0; i < 20; i++) {
            fs.remove(Caller.ROOT, fs.root(), FileName.of("f" + i));
        }
        assertThat(descriptorsInTree()).isEqualTo(before);
    }
}
